"""The store: its client, typed reads, Lua scripts by name, and the schema of its keys."""
