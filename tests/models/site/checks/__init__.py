"""Checks of the store, after each step or when no event is waiting."""
