"""Rendering: parts of pages that are kept in the process, static files, and compression."""
