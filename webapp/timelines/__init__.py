"""Timelines: home, public, profiles and hashtags, and what keeps them up to date."""
