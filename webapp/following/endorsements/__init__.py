"""Endorsements: followed members whom a member features on the profile."""
