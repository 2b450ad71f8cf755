"""Quotes: statuses that show another one as a card."""
