"""Fan-out: projections that bring statuses, boosts and follows into timelines."""
