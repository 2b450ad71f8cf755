"""Optional systems in which members collect points and spend them."""
