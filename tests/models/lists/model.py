"""Lists as they must be: names, settings and members."""

from dataclasses import dataclass, field

LISTS_MAX = 2  # of one member
MEMBERS_MAX = 3  # of one list
UNLIMITED = 400  # more entries than a list ever holds here
NAMES = ("Songs", "Reeds", "Hedge")
ListKey = tuple[int, int]  # the owner of a list, and its number


@dataclass
class ListRecord:
    """A list. Its members are in the order of adding."""

    name: str
    private: bool
    exclusive: bool
    members: list[int] = field(default_factory=list)
