"""Live: the addresses of a page's streams, and the data with which it updates itself."""
