"""Queries for posts and members: what they ask each shard of the index."""
