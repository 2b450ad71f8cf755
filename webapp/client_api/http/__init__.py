"""Requests and answers of the client API: parameters in, entities and errors out."""
