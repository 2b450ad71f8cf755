"""The machine that compares suggestions with the plain model of `tests/explore/suggestions`."""
