"""Reports: what members of a chat want the operator of the site to look at."""
