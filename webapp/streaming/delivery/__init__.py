"""One open response: what its client missed, then what is new, in the client's format."""
