"""Runs the command line as `python -m modmul`."""

import sys

from modmul.cli import main

sys.exit(main())
