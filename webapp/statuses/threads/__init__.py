"""Threads: replies, and the page of a status with those above and below it."""
