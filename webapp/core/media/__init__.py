"""Media: decoding, storing and serving uploaded pictures, and drawing the default ones."""
