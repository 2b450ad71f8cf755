"""Events: changes, written by the script that made them, applied by the worker."""
