"""The page cache: pages rendered once for all visitors, after Redis in Action, 2.3 to 2.5."""
