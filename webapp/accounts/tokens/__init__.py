"""Credentials of a member's own programs: access tokens, and apps with OAuth 1.0a keys."""
