"""Web: what every view stands on: its options, prefetched reads, rate limits, headers, errors."""
