"""Actions of members, operators and workers."""
