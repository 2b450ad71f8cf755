"""Bots: accounts that a member owns, and that programs speak for by access token and webhook."""
