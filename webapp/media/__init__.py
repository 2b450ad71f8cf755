"""Media: the addresses of the pictures that members upload."""
