"""Link cards: a linked page's title and picture, fetched by the worker, stored with the post."""
