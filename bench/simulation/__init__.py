"""A model of a site with many posts a second, and the runs that it is checked with."""
