"""Saved searches: queries that a member keeps, to open them again. Nobody else sees them."""
