"""View counts: how many people saw a post. Nobody can see who they were."""
