"""OAuth 2 for apps: registering, the member's consent, codes and tokens (RFC 6749, 7636, 7009)."""
