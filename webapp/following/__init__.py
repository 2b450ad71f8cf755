"""Who follows whom, and what keeps members apart: follow requests, blocks and mutes."""
