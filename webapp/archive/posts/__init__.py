"""Posts from the archives of Mastodon and X, at their old dates."""
