"""The site's log of events: how events enter it, and which messages its entries become."""
