"""Changing one's username: the page, the change, and redirects from the former one."""
