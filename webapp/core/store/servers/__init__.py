"""The servers of the store: which one a command goes to, and how it gets there and back."""
