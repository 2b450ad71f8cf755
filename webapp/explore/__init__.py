"""Explore: pages of hot posts, trends, open groups, people to follow, and first steps."""
