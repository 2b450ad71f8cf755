"""Jobs: offers by members, and finding those whose skills fit."""
