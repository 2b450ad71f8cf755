"""Private notes about other members."""
