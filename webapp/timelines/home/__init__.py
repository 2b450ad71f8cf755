"""Home timelines: statuses and boosts of followed members, and statuses under followed hashtags."""
