"""Endpoints about word filters."""
