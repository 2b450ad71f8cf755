"""Text: the rules for a status, its weight, and the links in it, as in twitter-text."""
