"""The whole key schema: one builder a key, the only place where a key is spelled.

A key is `noun:{tag}:id:facet`. The tag puts all that one member owns into one partition (`uid % 64`), so that one
script can change it at once, on a Cluster too. `docs/data-layout.md` is written from these docstrings: their first
line says what the key holds; then come its type and members, its bound or life time, and who writes it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ParamSpec
from zlib import crc32

from .ids import PARTITIONS, partition_of

P = ParamSpec("P")

# Short strings whose hash slot is 256p + 128: the 64 partitions stand at even distances in the 16,384 slots, so any
# number of primaries with contiguous ranges gets an even share of them.
TAGS = (
    "53t j3j if5 kec 574 74b akm 6bk 96a frw 0ip oin d1i 38o 0m0 xw "
    "he6 box 40w c9q hav 7ah 447 67a 1js fcu 0xr m5 1n3 3me e2j iu "
    "712 52d cmk 4dm 75r h5l 02bb ice 3y7 1za 2k6 8ax wu7 931 yg 8e8 "
    "7d8 5gn 621 41g jc0 qkn 66q i6o 3h5 1kc 2z4 0yb 3lu des he 802"
).split()
PUBLIC, LOG = "public", "log"  # tags of the two timelines that belong to nobody


@dataclass(frozen=True, slots=True)
class Builder:
    """What the schema says of one key: `shape` as in the documents, `pattern` to match live keys with."""

    name: str
    shape: str
    doc: str

    @property
    def pattern(self) -> re.Pattern[str]:
        parts = re.split(r"(<\w+>)", self.shape)
        return re.compile("".join("[^:{}]+" if part.startswith("<") else re.escape(part) for part in parts) + r"\Z")


SCHEMA: list[Builder] = []


def key(shape: str) -> Callable[[Callable[P, str]], Callable[P, str]]:
    """Enters a builder into the schema under its shape, such as `user:{<tag>}:<uid>`."""

    def enter(build: Callable[P, str]) -> Callable[P, str]:
        SCHEMA.append(Builder(build.__name__, shape, build.__doc__ or ""))
        return build

    return enter


def tag(number: int) -> str:
    """The hash tag of the partition of a member id or status id."""
    return TAGS[partition_of(number)]


def own(shape: str, uid: int, *rest: Any) -> str:
    """A key of one member, in the member's partition."""
    return ":".join((f"{shape}:{{{TAGS[uid % PARTITIONS]}}}:{uid}", *map(str, rest)))


# The site


@key("schema")
def schema() -> str:
    """What data this store holds, as `linnet:<version>`; anything else is refused.

    string · no bound: one value · written by `connect.py` at the first start
    """
    return "schema"


@key("uids")
def uids() -> str:
    """The last member id given out. Ids are dense; gaps are fine.

    string (counter) · no bound: one value · written by `accounts/store.py`
    """
    return "uids"


@key("workers")
def workers() -> str:
    """The live workers, so that they share the partitions evenly.

    zset: `host:pid` → last beat, unix seconds · silent ones removed after LEASE_SECONDS · written by `beat.lua`
    """
    return "workers"


@key("login:{<name>}")
def login(name: str) -> str:
    """Whose name this is. A claim without an account may be taken over after 60 s.

    string `uid:ms` (when it was claimed) · kept while the account exists · written by `accounts/claim.lua`
    """
    return f"login:{{{name.lower()}}}"


@key("limit:{<who>}:<act>")
def limit(act: str, who: str) -> str:
    """A rate limit's leaky bucket (GCRA): the time at which it is empty again.

    string, unix microseconds · expires when empty · written by `limits.lua`
    """
    return f"limit:{{{who}}}:{act}"


# A member


@key("user:{<tag>}:<uid>")
def user(uid: int) -> str:
    """A member: `login`, `name`, `joined` (unix ms), `avatar`, `header` (names of pictures), `bio`, `bio_entities`
    (JSON), `location`, `website`; `epoch` (grows whenever sign-ins must be proved anew), `suspended` (unix ms),
    `rights` (words), `pulled` = 1 once merged at read time (sticky). After the account is deleted: `removed` (unix ms)
    alone.

    hash · kept while the account exists, and NAME_KEPT_DAYS after · written by `accounts/*.lua`,
    `timelines/projections.py`
    """
    return own("user", uid)


@key("password:{<tag>}:<uid>")
def password(uid: int) -> str:
    """The member's password as an argon2id hash, apart from the user hash so that no page can show it.

    string · kept while the account exists · written by `accounts/create.lua`, and at sign-in when the cost has changed
    """
    return own("password", uid)


@key("session:{<tag>}:<sha>")
def session(uid: int, sha: str) -> str:
    """A signed-in browser, under the SHA-256 of its token: `uid`, `created`, `seen` (unix seconds), `address`,
    `agent` (both as last seen).

    hash · expires SESSION_DAYS after it was last seen · written by `accounts/start_session.lua`, `accounts/session.lua`
    """
    return f"session:{{{tag(uid)}}}:{sha}"


@key("sessions:{<tag>}")
def sessions(partition: int) -> str:
    """The partition's sessions by when they were last seen, to remove the least recent.

    zset: sha → unix seconds · SESSIONS_MAX / 64, trimmed by a periodic job · written by `accounts/*session*.lua`
    """
    return f"sessions:{{{TAGS[partition]}}}"


@key("signins:{<tag>}:<uid>")
def signins(uid: int) -> str:
    """One member's sessions by when they were last seen.

    zset: sha → unix seconds · MEMBER_SESSIONS_MAX; expires with the last of them · written by `accounts/*session*.lua`
    """
    return own("signins", uid)


@key("token:{<tag>}:<sha>")
def token(uid: int, sha: str) -> str:
    """An access token for scripts, under its SHA-256: `uid`, `name`, `created`, `used` (unix seconds).

    hash · kept until it is revoked · written by `accounts/*token*.lua`
    """
    return f"token:{{{tag(uid)}}}:{sha}"


@key("tokens:{<tag>}:<uid>")
def tokens(uid: int) -> str:
    """One member's access tokens.

    zset: sha → when it was made, unix seconds · TOKENS_MAX · written by `accounts/*token*.lua`
    """
    return own("tokens", uid)


@key("app:{<tag>}:<uid>:<id>")
def app(uid: int, app_id: str) -> str:
    """An app of a member (OAuth 1.0a), whose consumer key is `uid-id`: `name`, `token` (its access token), `secrets`
    (of both, sealed with SECRET_KEY), `created`, `used` (unix seconds).

    hash · kept until it is revoked · written by `accounts/*app*.lua`
    """
    return own("app", uid, app_id)


@key("apps:{<tag>}:<uid>")
def apps(uid: int) -> str:
    """One member's apps.

    zset: id → when it was made, unix seconds · APPS_MAX · written by `accounts/*app*.lua`
    """
    return own("apps", uid)


@key("nonce:{<tag>}:<uid>:<id>:<hash>")
def nonce(uid: int, app_id: str, digest: str) -> str:
    """A signed request that an app has made (`<hash>` is that of its timestamp and nonce), so that nobody repeats it.

    string · expires when its timestamp would be refused anyway · written by `accounts/use_app.lua`
    """
    return own("nonce", uid, app_id, digest)


@key("suspended:{<tag>}")
def suspended(partition: int) -> str:
    """The suspended members, copied to each partition for the script that reads homes there.

    set of uid · no bound: one a suspended member · written by `timelines/departures.py`
    """
    return f"suspended:{{{TAGS[partition]}}}"


@key("invites")
def invites() -> str:
    """The invitations that are still valid.

    zset: code → when it expires, unix seconds · expired ones go when another is made · written by
    `accounts/invites.py`
    """
    return "invites"


@key("invite:{<code>}")
def invite(code: str) -> str:
    """How many may come with an invitation.

    string (number) · expires with the invitation · written by `accounts/invites.py`
    """
    return f"invite:{{{code}}}"


@key("invited:{<code>}")
def invited(code: str) -> str:
    """Who came with an invitation. A place whose account was never made is given to the next after 60 s.

    zset: uid → when it was taken, unix ms · as many as may come; expires with it · written by
    `accounts/take_invite.lua`
    """
    return f"invited:{{{code}}}"


# Statuses


@key("lastid:{<tag>}")
def last_id(partition: int) -> str:
    """The newest status id of the partition: the next one is later even when the clock steps back.

    string · no bound: one value · written by `statuses/post.lua`
    """
    return f"lastid:{{{TAGS[partition]}}}"


@key("status:{<tag>}:<id>")
def status(status_id: int) -> str:
    """A status: `author` (uid), `text`, `entities` (JSON: [kind, text, start, end] each), `lang` (BCP 47); `lat`,
    `long` (degrees) and `place` (a name) where its author said so.

    hash · kept until its author deletes it · written by `statuses/post.lua`, `statuses/delete.lua`,
    `statuses/scrub.lua`
    """
    return own("status", status_id)


def status_prefix(uid: int) -> str:
    """The common beginning of the status keys in a member's partition, for scripts that make ids or list them."""
    return f"status:{{{tag(uid)}}}:"  # a script derives only keys of its own partition from it


@key("profile:{<tag>}:<uid>")
def profile(uid: int) -> str:
    """A member's own statuses.

    zset: id → id · no bound: it is the index of what the member wrote · written by `statuses/post.lua`,
    `statuses/delete.lua`
    """
    return own("profile", uid)


@key("posted:{<tag>}:<uid>:<form>")
def posted(uid: int, form: str) -> str:
    """The status that a form's key and text have made (`<form>` is their hash), so that a retried post is one status.

    string id · POST_KEY_HOURS · written by `statuses/post.lua`
    """
    return own("posted", uid, form)


# Following


@key("following:{<tag>}:<uid>")
def following(uid: int) -> str:
    """Whom a member follows: the truth about a follow.

    zset: uid → unix µs, made unique · FOLLOWING_MAX · written by `following/follow.lua`, `following/unfollow.lua`
    """
    return own("following", uid)


@key("followers:{<tag>}:<uid>")
def followers(uid: int) -> str:
    """Who follows a member, projected from the followers' own lists.

    zset: uid → unix µs, made unique · no bound: as many as choose to follow · written by `following/mirror.lua`
    """
    return own("followers", uid)


# Timelines


@key("home:{<tag>}:<uid>")
def home(uid: int) -> str:
    """A home timeline. The member `more` (score: minus the time of the newest cut, µs) says that older entries
    were left out.

    zset: `id:author` → id · HOME_MAX + HOME_SLACK and a few; dropped HOME_DAYS after the last visit · written by
    `statuses/post.lua`, `statuses/delete.lua`, `following/unfollow.lua`, `timelines/*.lua`
    """
    return own("home", uid)


def following_prefix(partition: int) -> str:
    """The common beginning of a partition's lists of follows, for the script that delivers."""
    return f"following:{{{TAGS[partition]}}}:"


def home_prefix(partition: int) -> str:
    """The common beginning of a partition's home keys, for the scripts that deliver, remove and retire."""
    return f"home:{{{TAGS[partition]}}}:"


@key("active:{<tag>}")
def active(partition: int) -> str:
    """The members who get deliveries: those who came within HOME_DAYS. Below 0 for an hour or more after a
    rebuild or an unfollow: deliveries look at the member's own list of follows then.

    zset: uid → last visit, unix seconds · one entry an active member · written by `accounts/create.lua`,
    `following/unfollow.lua`, `timelines/*.lua`
    """
    return f"active:{{{TAGS[partition]}}}"


@key("pulled:{<tag>}")
def pulled(partition: int) -> str:
    """The authors with too many followers to push to, copied to each partition for the scripts that read homes there.

    set of uid · no bound: one a member above PUSH_MAX_FOLLOWERS, sticky · written by `timelines/projections.py`
    """
    return f"pulled:{{{TAGS[partition]}}}"


@key("public:{public}")
def public() -> str:
    """The public timeline.

    zset: `id:author` → id · PUBLIC_MAX · written by `timelines/publish.lua`, `timelines/store.py`
    """
    return f"public:{{{PUBLIC}}}"


# Events


@key("outbox:{<tag>}")
def outbox(partition: int) -> str:
    """The partition's events, in the order of its acts, until both groups (`log`, `fanout`) have applied them.

    stream: `type`, `rid` (request id) and the event's fields · OUTBOX_MAX, then writes are refused; trimmed by its
    owner below the oldest event not acknowledged · written by every script that changes what others show
    """
    return f"outbox:{{{TAGS[partition]}}}"


@key("attempts:{<tag>}")
def attempts(partition: int) -> str:
    """How often events failed so far.

    hash: `group:id` → failures · one entry a failing event, removed when it is applied or parked · written by
    `worker.py`
    """
    return f"attempts:{{{TAGS[partition]}}}"


@key("parked:{<tag>}")
def parked(partition: int) -> str:
    """Events that failed ATTEMPTS_MAX times, until `linnet retry` puts them back.

    stream: the event's fields, `group`, `error` · PARKED_MAX · written by `park.lua`, `retry.lua`
    """
    return f"parked:{{{TAGS[partition]}}}"


@key("lease:{<tag>}:<group>")
def lease(partition: int, group: str) -> str:
    """Which worker applies the partition's events for a group: `owner`, `token` (grows with each owner), `until` (unix
    ms).

    hash · no bound: 64 × 2 · written by `lease.lua`
    """
    return f"lease:{{{TAGS[partition]}}}:{group}"


@key("fences:{<tag>}")
def fences(name: str) -> str:
    """The newest lease token seen here from each source, so that a worker which lost its lease can write no more.

    hash: `group:partition` → token · no bound: 64 × 2 · written by every projection's script but
    `streaming/append.lua`, which has marks
    """
    return f"fences:{{{name}}}"


@key("log:{log}")
def log() -> str:
    """The site's events for streaming readers.

    stream: `p`, `oid` (outbox id), `type` and the event's fields · LOG_MAX · written by `streaming/append.lua`
    """
    return f"log:{{{LOG}}}"


@key("marks:{log}")
def marks() -> str:
    """The last outbox id of each partition in the log: an event applied twice enters once.

    hash: partition → outbox id · no bound: 64 · written by `streaming/append.lua`
    """
    return f"marks:{{{LOG}}}"


# Streams


@key("seats:{<tag>}:<holder>")
def seats(holder: int | str) -> str:
    """The open streams of a member (by id) or of a visitor (by address).

    zset: seat → its turn, counted · STREAMS_PER_MEMBER; expires an hour after the last refresh · written by
    `streaming/take_seat.lua`, `streaming/leave_seats.lua`
    """
    return f"seats:{{{TAGS[seat_partition(holder)]}}}:{holder}"


@key("seats:{<tag>}:<holder>:seen")
def seats_seen(holder: int | str) -> str:
    """When the process of each such stream last said that it is open.

    zset: seat → unix ms · as `seats` · written by `streaming/take_seat.lua`, `streaming/refresh_seats.lua`,
    `streaming/leave_seats.lua`
    """
    return f"{seats(holder)}:seen"


def seat_partition(holder: int | str) -> int:
    """The partition of a holder's seats: a member's own, or any that an address always leads to."""
    return partition_of(holder if isinstance(holder, int) else crc32(holder.encode()))
