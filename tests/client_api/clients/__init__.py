"""Clients that others wrote, driven against the site as their users do."""
