"""Changing one's username: the page, the change, and where addresses with the former one lead."""
