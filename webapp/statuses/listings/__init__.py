"""Pages of statuses: from stored entries to a page that its viewer may see."""
