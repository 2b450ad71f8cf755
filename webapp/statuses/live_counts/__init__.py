"""Live counts: open pages learn of other counts of a status, at most once a second."""
