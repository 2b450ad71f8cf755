"""Notice what keeps running processes from their work: one that hangs, and a full disk."""
