"""`linnet doctor --drill`: end the primary of a test site, and count what the failover lost."""
