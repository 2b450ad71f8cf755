"""State machines that compare the store with a model, while workers apply events and die.

The machines read follows, blocks and mutes from the members' own lists, which the machine in
tests/models/site compares with a model. A machine updates the rest of its model when an event is
applied (`on_event_applied`).
"""
