"""Points: the ledger, the daily check-in that earns them, and the boards."""
