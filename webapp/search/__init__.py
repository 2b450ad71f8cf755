"""Search: posts, people and hashtags by words, phrases and operators, from an index of our own."""
