"""Drops: a few pieces of a thing, for points, from a stated time on. One to a member."""
