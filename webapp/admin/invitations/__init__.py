"""The page of invitations, for admins."""
