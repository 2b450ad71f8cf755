"""Pull sources of homes: followed hashtags, and authors with too many followers to push to."""
