"""Backups of a site: copies of its store and pictures, made while it runs, and restored."""
