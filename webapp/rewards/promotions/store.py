"""Promotions as their members and operators see them."""

import time
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime

from webapp.accounts.member import Member, datetime_from_ms, datetime_from_seconds
from webapp.core.errors import Conflict, Forbidden, NotFound
from webapp.core.store import Read, Site, collect, partition_of, read, read_numbers, script, to_dict
from webapp.core.web import Page, newest_below, paginate
from webapp.statuses import Status, statuses

from . import keys
from .ranking import NO_WORD

START = script("rewards/promotions/lua/start.lua")
MOVE = script("rewards/promotions/lua/move.lua")
PROMOTIONS_MAX = 10_000  # of the site, and those that members start within the same moment
LISTED = 100
HIDDEN_MAX = 200
OFF = "off"  # among the choices of a member


@dataclass(frozen=True, slots=True)
class Terms:
    """A promotion as wished for. `kind`: what costs; `price`: as in `Ad`; `budget`: points."""

    words: tuple[str, ...]
    language: str  # of readers, "" for all
    kind: str
    price: int
    budget: int
    days: int


@dataclass(frozen=True, slots=True)
class Result:
    """The result of a word or a day. `spent`: thousandths of points; 0 for words."""

    name: str
    views: int
    clicks: int
    actions: int
    spent: int = 0

    @property
    def day(self) -> datetime:
        """Return the day that its name stands for."""
        return datetime_from_seconds(int(self.name) * 86_400)


@dataclass(frozen=True, slots=True)
class Promotion:
    """The promotion of a post. `state`: waiting, running, paused or ended.

    `spent`: thousandths of points. `refusal`: why moderators ended it, None if they did not.
    """

    id: int
    uid: int
    state: str
    terms: Terms
    spent: int
    total: Result
    is_open: bool
    version: int  # of the post
    until: datetime | None  # once it was accepted
    words: tuple[Result, ...] = ()
    days: tuple[Result, ...] = ()
    refusal: str | None = None


def start(site: Site, uid: int, status_id: int, terms: Terms) -> int:
    """Promote a post, and return the member's points that are left. Two trips.

    The budget is booked at once; operators review the promotion before it runs. Raises NotFound (no
    post of the member's); Forbidden (suspended); Conflict (not public, promoted already, too many
    of the member or of the site, too few points).
    """
    _require_same_partition(uid, status_id, "no_status")
    if site.db.run(("HLEN", keys.promotion_rows())) >= PROMOTIONS_MAX:
        raise Conflict("site_promotions_full")
    values = asdict(terms) | {"words": " ".join(terms.words)}
    return int(site.run(START, uid=uid, id=status_id, **values))


def move(
    site: Site, uid: int, status_id: int, act: str, version: str = "", why: str = "", by: str = ""
) -> None:
    """Accept, refuse, pause, resume or end a member's promotion. One trip.

    `refuse` and `end` give back what is left of the budget. `by`: the login of a moderator, whose
    review is logged. Raises NotFound; Conflict (it has ended, is not in the state that the act
    begins with, or has another `version` of the post).
    """
    _require_same_partition(uid, status_id, "no_promotion")
    site.run(MOVE, uid=uid, id=status_id, act=act, version=version, why=why, by=by)


def review(site: Site, by: Member, status_id: int, act: str, version: str, why: str) -> None:
    """Accept or refuse another member's promotion, as a moderator. Two trips.

    `version`: of the post that was looked at. Raises as `move`; Forbidden for one's own.
    """
    found = get(site, status_id)
    if found.uid == by.uid:
        raise Forbidden("cannot_act")
    move(site, found.uid, status_id, act, version, why, by.login)


def find(status_id: int) -> Read[Promotion | None]:
    """Read the promotion of a post, with what its words and days brought."""
    hashes = (keys.promotion, keys.promotion_words, keys.promotion_days)
    rows = collect(read(("HGETALL", key(status_id)), to_dict) for key in hashes)
    return rows.map(lambda found: _parse(status_id, *found))


def promoted_ids(uid: int) -> Read[list[int]]:
    """Read the posts that a member promoted, the last one first."""
    return read_numbers(("ZRANGE", keys.promotions(uid), 0, LISTED - 1, "REV"))


def reviewed(site: Site) -> list[Promotion]:
    """Return the promotions of the site that have not ended, the oldest post first. Two trips."""
    ids = sorted(site.db.read(read_numbers(("HKEYS", keys.promotion_rows()))))
    return [one for one in site.db.read(collect(map(find, ids))) if one and one.state != "ended"]


def waiting_ids(before: int | None, size: int) -> Read[list[int]]:
    """Read the posts whose promotions wait for a review, the newest first, below a cursor."""
    return read_numbers(newest_below(keys.waiting_promotions(), before, size + 1))


def waiting_page(site: Site, ids: Sequence[int], size: int) -> Page[tuple[Promotion, Status]]:
    """Return a page of promotions that wait for a review, with their posts. Two trips."""
    found = [one for one in site.db.read(collect(map(find, ids))) if one]
    posts = site.db.read(statuses([(one.id, one.uid) for one in found]))
    pairs = zip(found, posts, strict=True)
    rows = [(one.id, (one, post)) for one, post in pairs if post and one.state == "waiting"]
    return paginate(rows, size, ids[-1] if len(ids) > size else None)


def count_waiting() -> Read[int]:
    """Read how many promotions wait for a review."""
    return read(("ZCARD", keys.waiting_promotions()), int)


def get(site: Site, status_id: int) -> Promotion:
    """Return the promotion of a post. One trip. Raises NotFound."""
    return NotFound.unless(site.db.read(find(status_id)), "no_promotion")


def hide(site: Site, uid: int, status_id: int) -> None:
    """Show a member this promoted post no more. Two trips. Raises NotFound for any other post."""
    if not site.db.run(("EXISTS", keys.promotion(status_id))):
        raise NotFound("no_promotion")
    key, now = keys.promotion_choices(uid), int(time.time() * 1000)
    site.db.trip(("ZADD", key, now, status_id), ("ZREMRANGEBYRANK", key, 0, -HIDDEN_MAX - 1))


def wants_none(uid: int) -> Read[bool]:
    """Read whether a member wants to see no promoted posts."""
    return read(("ZSCORE", keys.promotion_choices(uid), OFF), lambda score: score is not None)


def choose_none(site: Site, uid: int, none: bool) -> None:
    """Show a member no promoted posts, or show them again. One trip."""
    key = keys.promotion_choices(uid)
    site.db.run(("ZADD", key, "+inf", OFF) if none else ("ZREM", key, OFF))


def _require_same_partition(uid: int, status_id: int, code: str) -> None:
    """Raise NotFound for a post that cannot be the member's: its id names another partition."""
    if partition_of(status_id) != partition_of(uid):
        raise NotFound(code)


def _parse(
    status_id: int, row: dict[str, str], words: dict[str, str], days: dict[str, str]
) -> Promotion | None:
    if not row:
        return None
    numbers = (int(row[name]) for name in ("price", "budget", "days"))
    terms = Terms(tuple(row["words"].split()), row["language"], row["kind"], *numbers)
    total = Result("", *(int(row[name]) for name in ("views", "clicks", "actions")))
    until = datetime_from_ms(row["until"]) if "until" in row else None
    return Promotion(
        status_id,
        int(row["uid"]),
        row["state"],
        terms,
        int(row["spent"]),
        total,
        bool(row["open"]),
        int(row["version"]),
        until,
        _results(words, (*terms.words, NO_WORD)),
        _results(days, sorted({name.partition(":")[2] for name in days})),
        row.get("refused"),
    )


def _results(counts: dict[str, str], names: Iterable[str]) -> tuple[Result, ...]:
    """Return the counts of these names. Fields are `views:name` and so on."""
    fields = ("views", "clicks", "actions", "spent")
    return tuple(
        Result(name, *(int(counts.get(f"{field}:{name}", 0)) for field in fields)) for name in names
    )
