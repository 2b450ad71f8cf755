"""Reports: messages and chats that the operator of the site should look at."""
