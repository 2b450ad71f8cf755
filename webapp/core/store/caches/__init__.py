"""What a process remembers of the store, and what a page was made of."""
