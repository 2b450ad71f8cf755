"""A member's settings: profile, privacy, password, and deleting the account."""
