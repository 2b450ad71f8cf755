"""Cached pages for visitors: their paths, and which of them an event makes untrue.

A hard invalidation drops pages that must no longer be shown. After a soft one a stale page may be
shown once more while a new one is rendered.
"""
