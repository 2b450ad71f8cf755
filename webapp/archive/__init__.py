"""One's own data: an archive of everything, and CSV files of relationships in both directions."""
