"""Groups: members, roles and rules of a group, its timeline, and votes on its posts."""
