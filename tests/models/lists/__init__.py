"""The model of lists, and the machine that compares the store with it."""
