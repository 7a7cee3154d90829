"""The version of this package, and the time when its import began: this module is imported
first."""

import time

BEGAN = time.time()  # before any other source file of the package is read
__version__ = "0.1.0"
