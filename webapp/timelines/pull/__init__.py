"""What homes read elsewhere: followed hashtags, and authors with too many followers to push to."""
