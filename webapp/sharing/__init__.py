"""What other sites and devices see: pictures of links, embedded posts, site maps."""
