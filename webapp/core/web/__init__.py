"""Web: the tools of every view: options, prefetched reads, rate limits, headers, errors."""
