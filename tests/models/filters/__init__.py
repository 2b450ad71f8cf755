"""The model of word filters, and the machine that compares pages with it."""
