"""What open pages of a chat get: hints from the store, and the events they lead to."""
