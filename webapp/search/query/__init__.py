"""Queries for posts and members, for each shard of the index."""
