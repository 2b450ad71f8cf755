"""The walk: posts, chats and more around the featured member, some for each feature."""
