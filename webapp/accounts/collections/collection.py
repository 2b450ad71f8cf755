"""A bounded set of a member's own items, kept by two scripts that all collections share."""

from collections.abc import Callable
from dataclasses import dataclass

from webapp.config import Config
from webapp.core.store import Command, script
from webapp.core.store.schema import MemberKey

ADD = script("accounts/collections/lua/add.lua")
REMOVE = script("accounts/collections/lua/remove.lua")


@dataclass(frozen=True, slots=True)
class Collection:
    """Keeps a member's items, newest last. `full` is the refusal at the bound; "": the oldest goes.

    `added` and `removed` are types of events, "" for none. They have the member's `uid`, and the
    item as `id` if `names_item`. A new type is named under EMITS of its script. Items that are not
    on the member's list `within` are refused with `outside`. `groups`: the keys of a member's
    groups of items (number -> name), and of the items of one. An item that is removed leaves them.
    """

    key: MemberKey
    bound: Callable[[Config], int]
    full: str = ""
    added: str = ""
    removed: str = ""
    names_item: bool = False
    within: MemberKey | None = None
    outside: str = ""
    groups: tuple[MemberKey, MemberKey] | None = None

    def add(self, config: Config, uid: int, item: int | str) -> Command:
        """Return the command that adds an item; it replies 1, or 0 if it was there.

        Refused with NOMEMBER, SUSPENDED, `full`, `outside` or OVERLOADED.
        """
        return ADD(
            config,
            items=self.key(uid),
            within=self.within(uid) if self.within else None,
            uid=uid,
            item=item,
            limit=self.bound(config),
            full=self.full,
            outside=self.outside,
            added=self.added,
            names_item=int(self.names_item),
        )

    def remove(self, config: Config, uid: int, item: int | str) -> Command:
        """Return the command that removes an item; it replies 1, or 0 if it was not there.

        Refused with OVERLOADED.
        """
        return REMOVE(
            config,
            items=self.key(uid),
            groups=self.groups and self.groups[0](uid),
            group_prefix=self.groups and self.groups[1].prefix(uid),
            uid=uid,
            item=item,
            removed=self.removed,
            names_item=int(self.names_item),
        )
