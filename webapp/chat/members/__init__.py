"""Who belongs to a chat: groups, membership, invitations, and who may be brought in."""
