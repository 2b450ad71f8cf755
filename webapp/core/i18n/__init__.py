"""Languages: the reader's, with the other choices of a browser; messages; a text's language."""
