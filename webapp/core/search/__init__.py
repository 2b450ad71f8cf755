"""Words and queries: the terms by which texts are found, and the syntax that members type."""
