"""From the form of a post to the fields of a new status."""
