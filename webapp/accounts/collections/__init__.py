"""Collections: bounded sets of what a member keeps, such as bookmarks or followed hashtags."""
