"""The menu of a post: a page that scripts show as a popover."""
