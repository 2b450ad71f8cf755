"""Web: what every view stands on, such as options, prefetched reads, rate limits, error pages."""
