"""Caches of a process, and the record of what a page was made of."""
