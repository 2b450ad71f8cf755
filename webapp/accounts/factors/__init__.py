"""The second step of signing in: codes of an authenticator app, and recovery codes."""
