"""Tests of points and of what is sold for them."""
