"""The operator's room: commands about members, `linnet doctor`, and the page that shows it."""
