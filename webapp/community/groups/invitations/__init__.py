"""Invitations to groups: of members by name, and of anybody with a link."""
