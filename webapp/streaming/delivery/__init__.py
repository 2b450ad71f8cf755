"""One open response: missed messages, then new ones, in the client's format."""
