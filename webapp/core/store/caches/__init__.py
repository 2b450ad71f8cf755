"""Caches of a process, and the record of what a request asked the store."""
