"""The viewer's own actions on statuses: likes, boosts, bookmarks and votes."""
