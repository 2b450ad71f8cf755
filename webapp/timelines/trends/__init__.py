"""Trends: the hashtags and links that more members share than their own week would suggest."""
