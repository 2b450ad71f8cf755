"""Hidden boosts: members whose boosts a member does not want on their home and lists."""
