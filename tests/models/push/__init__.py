"""The model of pushes, and the machine that compares what devices got with it."""
