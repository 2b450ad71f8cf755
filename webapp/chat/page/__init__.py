"""The page of one chat: its messages and forms, with the list of chats beside it."""
