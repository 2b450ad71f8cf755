"""Polls: asking, voting, counting and ending them."""
