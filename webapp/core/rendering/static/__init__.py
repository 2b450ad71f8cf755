"""Static files, and files at the addresses where browsers look for them."""
