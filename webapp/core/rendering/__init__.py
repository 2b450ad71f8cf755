"""Rendering: templates, the parts of pages that each process caches, static files, compression."""
