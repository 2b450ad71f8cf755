"""Helpers of tests of members and accounts."""
