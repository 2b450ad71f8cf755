"""The page of members, for admins and moderators."""
