"""The second step of signing in, and recovery codes: they replace an app or a password."""
