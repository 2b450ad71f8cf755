"""The JSON entities of the client API: their fields, always all of them, and how each is filled."""
