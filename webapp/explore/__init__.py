"""Explore: what is hot and trends, open groups, people to follow, first steps of new members."""
