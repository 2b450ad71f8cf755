"""Explore: pages of what is popular and trends, open groups, people to follow, first steps."""
