"""Helpers of tests of statuses, by subject."""
