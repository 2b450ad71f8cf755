"""Members' e-mail addresses, and what is proved by a mail to them."""
