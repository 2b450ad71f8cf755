"""Values that a status is made of: its audience, pictures, place, poll and link card."""
