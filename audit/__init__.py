"""`make audit`: known weaknesses and licences of locked packages, and secrets in the source."""
