"""The first visit to a new site: its owner, name and rules."""
