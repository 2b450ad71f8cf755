"""What a viewer did with statuses: likes, boosts, bookmarks and votes."""
