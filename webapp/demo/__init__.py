"""A demo community: members who are birds, their posts and their follows."""
