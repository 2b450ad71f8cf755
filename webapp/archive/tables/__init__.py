"""CSV files of follows, blocks, mutes, lists and bookmarks, as Mastodon has them."""
