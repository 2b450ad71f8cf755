"""Optional systems in which members meet: jobs, and posts and people nearby."""
