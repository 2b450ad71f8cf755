"""Which statuses match what a client of the filtered stream asks for."""
