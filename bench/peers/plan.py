"""What each server is asked: the same for all of them, but for cookies, form tokens and the numbers
of statuses.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .data import Community, login

ACCEPT = {
    "Accept-Encoding": "gzip, deflate, br",
    "Accept-Language": "en",
    "User-Agent": "bench",
}  # as browsers say
TEXT = "Larks sing while they climb, and I have never heard one stop for breath. #larks https://example.org/"
CONNECTIONS, CROWD = 16, 64
HOMES, PROFILES, PERMALINKS, POSTERS, FOLLOWERS = (
    50,
    20,
    50,
    16,
    40,
)  # how many of each are asked for, at most
WEIGHTS = {
    "home": 50,
    "profile": 15,
    "permalink": 15,
    "public": 10,
    "post": 7,
    "follow": 3,
}  # of 100 of the mixed load

Request = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Seconds:
    """How long a workload of one kind is sent, and how often the star posts."""

    warm: int = 1
    each: int = 2
    mixed: int = 4
    times: int = 5


def facts(
    community: Community,
    cookies: Mapping[int, str],
    numbers: Mapping[int, int],
    token: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """What a plan needs to know of a server: the cookies of those who are signed in, and where statuses are. `numbers`:
    the server's ids of the community's statuses; `token`: where the token of its forms is found, if they have one.
    """
    newest = community.statuses[-PERMALINKS:]
    links = [f"/@{login(status.author)}/{numbers[status.id]}" for status in newest]
    return {
        "cookies": {str(uid): cookie for uid, cookie in cookies.items()},
        "permalinks": links,
        "token": token,
    }


def signed_in(community: Community) -> list[int]:
    """Who needs a session."""
    several = (
        readers(community),
        posters(community),
        followers(community),
        newcomers(community),
        watchers(community),
    )
    return sorted({community.star, *(uid for uids in several for uid in uids)})


def readers(community: Community) -> Sequence[int]:
    """Whose homes are read."""
    return community.members[: min(HOMES, len(community.members) // 2)]


def posters(community: Community) -> Sequence[int]:
    """Who posts."""
    return community.members[len(community.members) // 2 :][:POSTERS]


def followers(community: Community) -> Sequence[int]:
    """Who follows."""
    return community.members[-len(community.members) // 5 :][:FOLLOWERS]


def newcomers(community: Community) -> Sequence[int]:
    """Who follows in the mixed load: others, so that nobody is followed twice."""
    return community.members[-len(community.members) // 10 :][:FOLLOWERS]


def watchers(community: Community) -> list[int]:
    """Fans whose homes are looked at: those who came last, whom a walk of the followers comes to last, and a few."""
    fans = community.fans
    return [*fans[-1:-4:-1], *fans[:: max(len(fans) // 5, 1)]]


def workloads(
    community: Community, known: Mapping[str, Any], seconds: Seconds
) -> list[dict[str, Any]]:
    """The workloads in the order in which they are sent: what is written comes after what is read."""
    asks = Asks(community, known)
    calm = {"connections": CONNECTIONS, "seconds": seconds.each}
    reads = {name: getattr(asks, name)() for name in ("profile", "permalink", "public", "home")}
    writes = {"post": asks.post(), "follow": asks.follow(followers(community))}
    mixed = reads | writes | {"follow": asks.follow(newcomers(community))}
    lag = asks.until(posters(community)[0], _fans_of(community, posters(community)[0]), 1)
    return [
        *(
            {"name": name, **calm, "warm": seconds.warm, "requests": requests}
            for name, requests in reads.items()
        ),
        {"name": "post", **calm, "warm": seconds.warm, "requests": writes["post"]},
        {"name": "after posts", **lag},
        {"name": "fan-out", **asks.until(community.star, watchers(community), seconds.times)},
        {"name": "follow", **calm, "requests": writes["follow"]},
        {
            "name": "mixed",
            "connections": CROWD,
            "seconds": seconds.mixed,
            "requests": _weighted(mixed),
        },
    ]


class Asks:
    """The requests of each kind."""

    def __init__(self, community: Community, known: Mapping[str, Any]) -> None:
        self._community, self._known = community, known

    def profile(self) -> list[Request]:
        """Profiles, for visitors."""
        return [
            self._get(f"/@{login(uid)}", login(uid)) for uid in self._community.members[:PROFILES]
        ]

    def permalink(self) -> list[Request]:
        """Single statuses, for visitors."""
        return [self._get(path, path) for path in self._known["permalinks"]]

    def public(self) -> list[Request]:
        """The newest of all statuses, for visitors."""
        return [self._get("/public", "Public")]

    def home(self) -> list[Request]:
        """Homes of members, whose browsers have the cookie of the forms by now."""
        token = {"token": self._known["token"]} if self._known["token"] else {}
        return [self._get("/home", "Home", uid) | token for uid in readers(self._community)]

    def post(self) -> list[Request]:
        """Posts of members."""
        return [self._post(uid) for uid in posters(self._community)]

    def follow(self, uids: Sequence[int]) -> list[Request]:
        """Follows by these members of all whom they do not follow yet."""
        members, follows = self._community.members, self._community.follows
        strangers = {uid: sorted({*members} - {uid, *follows[uid]}) for uid in uids}
        return [
            self._form("/@{each}/follow", uid, {}) | {"each": [login(other) for other in others]}
            for uid, others in strangers.items()
        ]

    def until(self, author: int, watched: Sequence[int], times: int) -> dict[str, Any]:
        """A post, and the homes that must show it."""
        known = [uid for uid in watched if str(uid) in self._known["cookies"]]
        return {
            "times": times,
            "post": self._post(author),
            "watch": [self._get("/home", "", uid) for uid in known],
        }

    def _get(self, path: str, contains: str, uid: int | None = None) -> Request:
        return {
            "path": path,
            "headers": self._headers(uid),
            "expect": {"status": 200, "contains": contains},
        }

    def _post(self, uid: int) -> Request:
        form = {"text": TEXT + " {unique}", "key": "{unique}"}
        return self._form("/statuses", uid, form) | {"expect": {"status": 303, "location": "/home"}}

    def _form(self, path: str, uid: int, form: dict[str, str]) -> Request:
        made = {
            "path": path,
            "method": "POST",
            "headers": self._headers(uid),
            "expect": {"status": 303},
        }
        if self._known["token"]:
            made["token"] = self._known["token"]
            form = form | {"csrf_token": "{token}"}
        return made | {"form": form}

    def _headers(self, uid: int | None) -> dict[str, str]:
        return ACCEPT | ({"Cookie": self._known["cookies"][str(uid)]} if uid else {})


def _fans_of(community: Community, author: int) -> list[int]:
    return [uid for uid in readers(community) if author in community.follows[uid]]


def _weighted(kinds: Mapping[str, list[Request]]) -> list[Request]:
    """The requests of all kinds, so that each kind has its weight, however many there are of it."""
    scale = 800  # so that the shares come out as they should
    return [
        request | {"weight": max(round(WEIGHTS[name] * scale / 10 / len(requests)), 1)}
        for name, requests in kinds.items()
        for request in requests
    ]
