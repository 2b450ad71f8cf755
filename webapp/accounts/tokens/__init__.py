"""What a member's own programs sign in with: access tokens, and apps with OAuth 1.0a keys."""
