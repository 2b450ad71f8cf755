"""Commands to run after an upgrade or a restore: indexes to build, flags to set."""
