"""Reading history ("Seen lately"): the posts that a member has opened, kept if they choose so."""
