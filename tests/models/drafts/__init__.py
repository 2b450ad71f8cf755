"""The model of drafts and scheduled posts, and the machine that compares the store with it."""
