"""Promoted posts on pages: one among the others, marked. An optional room chooses them."""
