"""Optional systems for communities: each folder is a room that the site works without."""
