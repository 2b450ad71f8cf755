"""Private mentions: statuses that only those may see whom they name, by conversation."""
