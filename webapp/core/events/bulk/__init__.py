"""The group `bulk`: work that grows with a member's data, done in slices."""
