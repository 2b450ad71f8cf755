"""Members: sign-up, sign-in, their own descriptions, and how others find them."""
