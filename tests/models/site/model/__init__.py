"""The state of members, statuses and timelines, and the part of it that was applied so far."""
