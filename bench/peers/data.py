"""Generate the community of every server: the same members, follows and statuses for a size.

Nothing but the standard library: the peers, in an environment of their own, import it too.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from heapq import nlargest
from random import Random

SEED = "peers"
BEGAN = 1_770_000_000  # unix seconds of the first status; old, so that runs are comparable
SPACING = 240  # seconds between two statuses
STAR_STATUSES = 20  # as many as everybody else has on average
SPECIES = (
    "wren linnet goldfinch siskin robin dunnock lapwing curlew swift heron plover skylark "
    "kestrel bittern"
).split()
WORDS = (
    "a above across again all along and another at autumn back before below berries branch "
    "bright by calls cold come dawn day early evening every far few field first flock for "
    "from gone grass grey half hedge hill in is it late leaf light long low marsh mist more "
    "morning near nest never night no north of old on one open over rain reed river roost sea "
    "shore slow small snow some song south spring still sun sunset tall the then tide to tree "
    "two under very wade water west wet while white wide wind wing winter wood yellow"
).split()
TAGS = "birds dawn marsh migration nest song tide winter".split()


@dataclass(frozen=True, slots=True)
class Size:
    """Hold the size of a community."""

    members: int = 1_000
    follows: int = 50  # of each member
    statuses: int = 20_000
    fans: int = 10_000  # who follow the star and nobody else


FULL = Size()
QUICK = Size(members=60, follows=20, statuses=1_200, fans=1_500)


@dataclass(frozen=True, slots=True)
class Status:
    """Hold a status. `id`: its rank in time from 1. `at`: unix seconds."""

    id: int
    author: int
    at: int
    text: str


class Community:
    """Generate the community.

    Members are numbered from 1: first those who follow each other, then the star, then its fans.
    """

    def __init__(self, size: Size) -> None:
        self.size = size
        self.members = range(1, size.members + 1)
        self.star = size.members + 1
        self.fans = range(self.star + 1, self.star + 1 + size.fans)
        self.everybody = range(1, self.fans.stop)

    @cached_property
    def follows(self) -> dict[int, list[int]]:
        """Return the follows of each member, oldest first."""
        draw = Random(f"{SEED} follows")
        drawn_uids = {uid: draw.sample(self.members, self.size.follows + 1) for uid in self.members}
        lists = {
            uid: [other for other in drawn if other != uid][: self.size.follows]
            for uid, drawn in drawn_uids.items()
        }
        return lists | {uid: [self.star] for uid in self.fans}

    @cached_property
    def statuses(self) -> list[Status]:
        """Return all statuses, oldest first."""
        draw = Random(f"{SEED} statuses")
        authors = [draw.choice(self.members) for _ in range(self.size.statuses)]
        for place in draw.sample(range(len(authors)), STAR_STATUSES):
            authors.insert(place, self.star)
        return [
            Status(number, author, BEGAN + number * SPACING, self._text(draw))
            for number, author in enumerate(authors, 1)
        ]

    def followed_at(self, number: int) -> int:
        """Return when a member made their `number`-th follow, in unix seconds."""
        return BEGAN - 1_000_000 + number

    def homes(self, limit: int) -> Iterator[tuple[int, list[Status], bool]]:
        """Yield the newest `limit` home statuses of each member and fan, newest first.

        Each comes with the uid, and whether there are older statuses.
        """
        written: dict[int, list[Status]] = {uid: [] for uid in self.everybody}
        for status in self.statuses:
            written[status.author].append(status)
        for uid, followed in self.follows.items():
            all_ = [status for author in (uid, *followed) for status in written[author]]
            yield uid, nlargest(limit, all_, key=lambda status: status.id), len(all_) > limit

    def _text(self, draw: Random) -> str:
        words = draw.choices(WORDS, k=draw.randint(8, 24))
        if draw.random() < 0.3:
            words.insert(0, f"@{login(draw.choice(self.members))}")
        if draw.random() < 0.4:
            words.append(f"#{draw.choice(TAGS)}")
        if draw.random() < 0.2:
            words.append(f"https://example.org/{draw.choice(WORDS)}")
        return " ".join(words)


def login(uid: int) -> str:
    """Return a member's login."""
    return f"{SPECIES[uid % len(SPECIES)]}{uid}"


def name(uid: int) -> str:
    """Return a member's name."""
    return f"{SPECIES[uid % len(SPECIES)].title()} {uid}"


def bio(uid: int) -> str:
    """Return a member's biography."""
    return " ".join(Random(f"{SEED} {uid}").choices(WORDS, k=12))
