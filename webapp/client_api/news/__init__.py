"""News for members: notifications and conversations, as apps show them."""
