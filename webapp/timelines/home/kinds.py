"""The kinds of entries that a member's home shows: they may hide replies, and boosts."""

from dataclasses import dataclass

from webapp.accounts import keys as account_keys
from webapp.accounts.settings import choices
from webapp.core.store import Db, Read, read
from webapp.statuses import BoostRef, Item
from webapp.statuses.items import Boost
from webapp.timelines.entries import parse_entry


@dataclass(frozen=True, slots=True)
class HomeKinds:
    """The posts that the home of the member `viewer` hides. It never shows their own boosts."""

    viewer: int = 0
    hides_replies: bool = False  # to others, by others
    hides_boosts: bool = False

    @property
    def hides_any(self) -> bool:
        """Return True if the member hides something."""
        return self.hides_replies or self.hides_boosts

    def shows_boost(self, booster: int) -> bool:
        """Return True for a boost that may be shown."""
        return not self.hides_boosts and booster != self.viewer

    def shows_post(self, author: int, reply_to: int) -> bool:
        """Return True for a status that may be shown. `reply_to`: the uid it answers, or 0."""
        if not self.hides_replies or author == self.viewer:
            return True
        return reply_to in (0, author, self.viewer)

    def shows(self, item: Item) -> bool:
        """Return True for an item that may be shown."""
        if isinstance(item, Boost):
            return self.shows_boost(item.booster.uid)
        return self.shows_post(item.author.uid, item.reply_to_uid)

    def shows_entry(self, entry: str) -> bool:
        """Return True for an entry that may be shown. Under hashtags it does not name replies."""
        ref = parse_entry(entry)
        if isinstance(ref, BoostRef):
            return self.shows_boost(ref[1])
        _, author, *reply_to = entry.split(":")
        return self.shows_post(int(author), int(reply_to[0]) if reply_to else 0)


ALL_KINDS = HomeKinds()


def parse_kinds(viewer: int, hides: str | None) -> HomeKinds:
    """Return the kinds that a field of the user hash names."""
    words = (hides or "").split()
    return HomeKinds(viewer, "replies" in words, "boosts" in words)


def home_kinds(uid: int) -> Read[HomeKinds]:
    """Read which kinds a member's home hides."""
    command = ("HGET", account_keys.user(uid), "home_hides")
    return read(command, lambda hides: parse_kinds(uid, hides))


def hide_kinds(db: Db, uid: int, replies: bool, boosts: bool) -> None:
    """Hide replies, boosts, both or neither from a member's home. One trip.

    Raises NotFound, Forbidden (suspended), Unavailable.
    """
    words = [word for word, is_hidden in (("replies", replies), ("boosts", boosts)) if is_hidden]
    choices.remember(db, uid, home_hides=" ".join(words))
