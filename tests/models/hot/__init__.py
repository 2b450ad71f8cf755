"""The model of hot posts, and the machine that compares the store with it."""
