"""Notice processes that run but do not respond."""
