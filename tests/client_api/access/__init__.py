"""Who gets what through the client API: one table of all endpoints, and the checks made of it."""
