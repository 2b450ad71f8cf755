"""Timelines: home, public, profiles and hashtags, hot posts and trends, and their updates."""
