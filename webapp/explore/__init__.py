"""Explore: pages of hot posts, trends, open group chats, people to follow, and first steps."""
