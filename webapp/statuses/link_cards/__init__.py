"""Link cards: what a linked page says of itself, fetched by the worker and stored with the post."""
