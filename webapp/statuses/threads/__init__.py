"""Threads: replies, and the page of a status with what is above and below it."""
