"""Hashtags: following them, their pages, and the index of statuses under them."""
