"""Streams for apps."""
