"""Members: how they sign up and sign in, what they say of themselves, and how others find them."""
