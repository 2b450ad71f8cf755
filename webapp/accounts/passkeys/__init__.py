"""Passkeys: keys on members' devices that open their accounts without a password (WebAuthn)."""
