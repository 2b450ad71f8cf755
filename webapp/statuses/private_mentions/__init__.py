"""Private mentions: statuses that only the people they name may see, by conversation."""
