"""Processes: the supervisor of `linnet run`, the HTTP servers, and the embedded store."""
