"""Sessions: what proves who a member is, and the browsers they are signed in with."""
