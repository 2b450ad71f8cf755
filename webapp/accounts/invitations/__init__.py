"""Invitations that members make, where the operator allows it."""
