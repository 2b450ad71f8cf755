"""What statuses carry besides text: pictures and locations."""
