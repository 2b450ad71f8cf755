"""Languages: the reader's, the catalogues of messages, and the language of a text."""
