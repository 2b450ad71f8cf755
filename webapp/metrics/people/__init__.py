"""Who comes: visitors, their countries, and members who stay."""
