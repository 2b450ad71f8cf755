"""Sessions: the proof of who a member is, and the browsers they are signed in with."""
