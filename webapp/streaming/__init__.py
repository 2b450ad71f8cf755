"""Live updates: streams of events for open pages, for open chats and for clients of the API."""
