"""Hot posts: public ones by time and reactions, for the site, a language and a hashtag."""
