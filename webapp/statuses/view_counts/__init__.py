"""View counts: how many people saw a post, as its author is told. Nothing says who they were."""
