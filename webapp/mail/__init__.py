"""Mails to members: a queue in the store, and the part of a worker that sends them."""
