"""The bans of a site, which admins change and moderators see: words, domains and networks."""
