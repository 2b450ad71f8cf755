"""Values that one worker computes in turn, for the whole site."""
