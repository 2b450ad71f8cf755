"""Lists: members that a member groups, and the timeline of each list."""
