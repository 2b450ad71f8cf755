"""Content for other sites and devices: pictures of links, embedded posts, site maps."""
