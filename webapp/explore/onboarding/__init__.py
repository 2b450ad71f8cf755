"""Onboarding: the first steps of a new member."""
