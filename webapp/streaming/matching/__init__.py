"""Match statuses against the rules of filtered streams: `track`, `follow` and `locations`."""
