"""Attachments of statuses: pictures and locations."""
