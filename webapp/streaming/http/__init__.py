"""Requests and responses of the stream process, in the terms of ASGI."""
