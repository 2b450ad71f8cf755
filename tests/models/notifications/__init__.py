"""The model of polls and notifications, and the machine that compares the store with it."""
