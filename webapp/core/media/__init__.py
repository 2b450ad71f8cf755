"""Media: decoding the pictures that members upload, storing them, drawing the default ones."""
