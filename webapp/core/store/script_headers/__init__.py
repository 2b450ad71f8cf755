"""Headers of Lua scripts: their declarations, and the calls that follow from them."""
