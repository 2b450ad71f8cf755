"""Who may see, answer and quote which statuses."""
