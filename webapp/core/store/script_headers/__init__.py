"""Headers of Lua scripts: what they declare, and the calls that follow from it."""
