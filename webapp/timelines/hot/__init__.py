"""What is popular: public posts by time and reactions, for the site, a language and a hashtag."""
