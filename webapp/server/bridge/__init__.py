"""The app behind an event loop: bodies, threads, and what the loop answers itself."""
