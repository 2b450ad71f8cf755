"""Preferences: the form in every page's footer that chooses a language or a theme."""
