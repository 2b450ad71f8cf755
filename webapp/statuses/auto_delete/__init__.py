"""Automatic deletion of a member's old posts, once the member has chosen it."""
