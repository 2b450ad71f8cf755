"""Timelines: home, public, profiles and hashtags, hot posts and trends, and what updates them."""
