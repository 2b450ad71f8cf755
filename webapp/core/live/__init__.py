"""Live: where a page finds the streams, and what it needs to update itself."""
