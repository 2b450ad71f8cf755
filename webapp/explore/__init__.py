"""Explore: what is hot and trends, and the groups that anybody may join."""
