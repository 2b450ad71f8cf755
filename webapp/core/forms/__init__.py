"""Forms: their fields, the tokens that protect them, and how large they may be."""
