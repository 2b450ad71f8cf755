"""Events: what happened, written by the script that made it true, applied by the worker."""
