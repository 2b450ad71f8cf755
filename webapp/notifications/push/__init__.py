"""Web push: a member's notifications on their devices, while no page is open."""
