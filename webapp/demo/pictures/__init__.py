"""Pictures of members, drawn."""
