"""The model of chats, and the machine that compares the store with it."""
