"""Endpoints about statuses."""
