"""The version of this package, and when it was begun to be imported: the first of its modules."""

import time

BEGAN = time.time()  # before any other source file of the package is read
__version__ = "0.1.0"
