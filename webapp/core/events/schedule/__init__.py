"""When a worker does what: periodic values that one worker computes, and the order of groups."""
