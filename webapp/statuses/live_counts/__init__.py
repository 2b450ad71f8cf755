"""Live counts: open pages receive the new counts of a status, at most once a second."""
