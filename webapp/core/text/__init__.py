"""Text: what a status may say, how long it counts, and the links in it, as twitter-text has it."""
