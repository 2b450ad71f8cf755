"""The open connections of one process, and which messages each of them is sent."""
