"""Streams for the apps of the client API: `/api/v1/streaming`, by WebSocket and as events."""
