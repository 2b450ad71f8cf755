"""The model of members, statuses and timelines, and the machine that compares the store with it."""
