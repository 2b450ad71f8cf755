"""Cached pages for visitors: their paths, and which of them an event makes untrue.

A hard invalidation drops pages that must no longer be shown. After a soft one a stale page may
still be shown while a new one is rendered.
"""
