"""The pages about the site: description, terms, privacy notice, and contact."""
