"""Notifications in groups, pushed to apps, and from whom members want any."""
