"""Words and queries: what texts are found by, and the syntax that members type."""
