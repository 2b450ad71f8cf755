"""What a site refuses, as admins change it and moderators see it: words, domains and networks."""
