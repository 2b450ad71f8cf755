"""The machine that compares suggestions with a plain model."""
