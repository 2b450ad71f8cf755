"""Languages: a browser's choice of language and theme, messages, and a text's language."""
