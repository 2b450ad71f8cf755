"""Bans: words and domains that public texts may not have, and networks that are kept out."""
