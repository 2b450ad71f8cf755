"""Translate entries of the log into messages for open streams, and subscription changes."""
