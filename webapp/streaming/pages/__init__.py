"""The streams that the site's own pages read: `/stream/…`."""
