"""Endpoints about members."""
