"""Lists that a member pins: tabs of their home."""
