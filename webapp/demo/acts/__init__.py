"""Acts of a community: each calls the product's own store functions, at its time in the past."""
