"""The security log: what happened to a member's account, which they and the operator read."""
