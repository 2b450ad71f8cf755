"""A plain model of trends, and the machine that compares the store with it."""
