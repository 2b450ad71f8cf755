"""Page invalidation: the events that drop cached pages of visitors, and the paths of these pages.

A hard invalidation drops pages that must no longer be shown. After a soft one a stale page may
still be shown while a new one is rendered. `webapp/pagecache/` stores and drops the pages.
"""
