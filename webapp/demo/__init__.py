"""A demo community: members who are birds, what they write, and whom they follow."""
