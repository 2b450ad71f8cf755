"""Group chats, their members and invitations, and the policy for bringing people into chats."""
