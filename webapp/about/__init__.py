"""The pages about the site: what it is, its terms, its privacy notice, and whom to ask."""
