"""Tests of drops and their orders."""
