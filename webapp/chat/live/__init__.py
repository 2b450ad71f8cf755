"""Live updates of chats: hints from the store, and the resulting events of pages and programs."""
