"""Plan the requests to each server.

They differ only in cookies, form tokens and ids of statuses.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .data import Community, login

ACCEPT = {
    "Accept-Encoding": "gzip, deflate, br",
    "Accept-Language": "en",
    "User-Agent": "bench",
}  # like a browser
TEXT = "Larks sing while they climb, and I have never heard one stop for breath. #larks https://example.org/"
CONNECTIONS, CROWD = 16, 64
HOMES, PROFILES, PERMALINKS = 50, 20, 50  # pages of each kind, at most
POSTERS, FOLLOWERS = 16, 40  # members who write, at most
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
    """Hold the durations of workloads by kind, and the number of posts by the star."""

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
    """Return what a plan needs: the cookies of signed-in members, and the paths of statuses.

    `numbers`: the server's ids of the community's statuses. `token`: where to find the token of
    its forms, if they have one.
    """
    newest = community.statuses[-PERMALINKS:]
    links = [f"/@{login(status.author)}/{numbers[status.id]}" for status in newest]
    return {
        "cookies": {str(uid): cookie for uid, cookie in cookies.items()},
        "permalinks": links,
        "token": token,
    }


def signed_in(community: Community) -> list[int]:
    """Return the members who need a session."""
    several = (
        readers(community),
        posters(community),
        followers(community),
        newcomers(community),
        watchers(community),
    )
    return sorted({community.star, *(uid for uids in several for uid in uids)})


def readers(community: Community) -> Sequence[int]:
    """Return the members whose homes are read."""
    return community.members[: min(HOMES, len(community.members) // 2)]


def posters(community: Community) -> Sequence[int]:
    """Return the members who post."""
    return community.members[len(community.members) // 2 :][:POSTERS]


def followers(community: Community) -> Sequence[int]:
    """Return the members who follow."""
    return community.members[-len(community.members) // 5 :][:FOLLOWERS]


def newcomers(community: Community) -> Sequence[int]:
    """Return the members who follow in the mixed load, different from `followers`."""
    return community.members[-len(community.members) // 10 :][:FOLLOWERS]


def watchers(community: Community) -> list[int]:
    """Return fans to watch: mainly the latest ones, whom a delivery reaches last."""
    fans = community.fans
    return [*fans[-1:-4:-1], *fans[:: max(len(fans) // 5, 1)]]


def workloads(
    community: Community, server_info: Mapping[str, Any], seconds: Seconds
) -> list[dict[str, Any]]:
    """Return the workloads in order; writes come after reads."""
    builder = RequestBuilder(community, server_info)
    calm = {"connections": CONNECTIONS, "seconds": seconds.each}
    reads = {name: getattr(builder, name)() for name in ("profile", "permalink", "public", "home")}
    writes = {"post": builder.post(), "follow": builder.follow(followers(community))}
    mixed = reads | writes | {"follow": builder.follow(newcomers(community))}
    lag = builder.until(posters(community)[0], _fans_of(community, posters(community)[0]), 1)
    return [
        *(
            {"name": name, **calm, "warm": seconds.warm, "requests": builder}
            for name, builder in reads.items()
        ),
        {"name": "post", **calm, "warm": seconds.warm, "requests": writes["post"]},
        {"name": "after posts", **lag},
        {"name": "fan-out", **builder.until(community.star, watchers(community), seconds.times)},
        {"name": "follow", **calm, "requests": writes["follow"]},
        {
            "name": "mixed",
            "connections": CROWD,
            "seconds": seconds.mixed,
            "requests": _weighted(mixed),
        },
    ]


class RequestBuilder:
    """Build the requests of each kind."""

    def __init__(self, community: Community, server_info: Mapping[str, Any]) -> None:
        self._community, self._server_info = community, server_info

    def profile(self) -> list[Request]:
        """Return requests for profiles by visitors."""
        return [
            self._get(f"/@{login(uid)}", login(uid)) for uid in self._community.members[:PROFILES]
        ]

    def permalink(self) -> list[Request]:
        """Return requests for single statuses by visitors."""
        return [self._get(path, path) for path in self._server_info["permalinks"]]

    def public(self) -> list[Request]:
        """Return requests for the public timeline by visitors."""
        return [self._get("/public", "/@")]

    def home(self) -> list[Request]:
        """Return requests for homes by members with form cookies."""
        token = {"token": self._server_info["token"]} if self._server_info["token"] else {}
        return [self._get("/home", "Home", uid) | token for uid in readers(self._community)]

    def post(self) -> list[Request]:
        """Return requests that post."""
        return [self._post(uid) for uid in posters(self._community)]

    def follow(self, uids: Sequence[int]) -> list[Request]:
        """Return requests by these members to follow everyone they do not follow yet."""
        members, follows = self._community.members, self._community.follows
        strangers = {uid: sorted({*members} - {uid, *follows[uid]}) for uid in uids}
        return [
            self._form("/@{each}/follow", uid, {}) | {"each": [login(other) for other in uids]}
            for uid, uids in strangers.items()
        ]

    def until(self, author: int, watched: Sequence[int], times: int) -> dict[str, Any]:
        """Return a post, and the homes that must show it."""
        server_info = [uid for uid in watched if str(uid) in self._server_info["cookies"]]
        return {
            "times": times,
            "post": self._post(author),
            "watch": [self._get("/home", "", uid) for uid in server_info],
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
        request = {
            "path": path,
            "method": "POST",
            "headers": self._headers(uid),
            "expect": {"status": 303},
        }
        if self._server_info["token"]:
            request["token"] = self._server_info["token"]
            form = form | {"csrf_token": "{token}"}
        return request | {"form": form}

    def _headers(self, uid: int | None) -> dict[str, str]:
        return ACCEPT | ({"Cookie": self._server_info["cookies"][str(uid)]} if uid else {})


def _fans_of(community: Community, author: int) -> list[int]:
    return [uid for uid in readers(community) if author in community.follows[uid]]


def _weighted(kinds: Mapping[str, list[Request]]) -> list[Request]:
    """Mix the requests so that each kind has its weight, whatever its number."""
    scale = 800  # so that the shares come out as they should
    return [
        request | {"weight": max(round(WEIGHTS[name] * scale / 10 / len(requests)), 1)}
        for name, requests in kinds.items()
        for request in requests
    ]
