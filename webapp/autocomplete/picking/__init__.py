"""Choosing people: the search field of a form, and the rows below it."""
