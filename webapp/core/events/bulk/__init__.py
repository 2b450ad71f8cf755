"""The group `bulk`: work that grows with what a member has, done in slices."""
