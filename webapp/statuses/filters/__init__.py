"""Word filters: statuses a member does not want to read are folded up or left out."""
