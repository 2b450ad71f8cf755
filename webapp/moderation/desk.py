"""Answer several reports with one act, and read what is known about a member."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from webapp.accounts import keys as account_keys, store as accounts
from webapp.accounts.invitations import own as own_invites
from webapp.accounts.member import Member
from webapp.core.errors import Conflict, NotFound, Refused
from webapp.core.rendering.feature_pages import waiting_reads
from webapp.core.store import Db, Read, Site, collect, gather, read
from webapp.core.web import Page, max_bound, paginate
from webapp.reports import keys as report_keys, listing, store as reports
from webapp.reports.listing import Report

from . import acting, keys, log
from .acts import ACTS
from .history import ActEntry, acts_on, entries_of

MEMBER_REPORTS = 20  # reports about a member that their page shows
INVITED_SHOWN = 50  # newest members whom a member invited
STATES = ("open", "mine", "done")


@dataclass(frozen=True, slots=True)
class Outcome:
    """How many reports an act answered, and the refusals of those that it did not."""

    answered: int
    refusals: tuple[Refused, ...]


@dataclass(frozen=True, slots=True)
class Subject:
    """The subject of reports: a member (0: several), and a post or a draft of theirs, if any."""

    uid: int
    kind: str = ""
    number: int = 0


@dataclass(frozen=True, slots=True)
class MemberFile:
    """Facts about a member, for moderators. `people`: those who acted or are named, by uid.

    `inviter`: the uid of who made their invitation, 0 if nobody did. `invited`: whom they invited.
    """

    member: Member
    acts: list[ActEntry]
    reports: Page[Report]
    people: Mapping[int, Member]
    inviter: int
    invited: list[int]


@dataclass(frozen=True, slots=True)
class Appeal:
    """An act with an appeal that waits for its answer."""

    member: Member
    entry: ActEntry


def queue_name(state: str, category: str, uid: int) -> str:
    """Return the list of reports for a state and a category, "" for all that are open.

    Those of one moderator are not parted by category.
    """
    if state == "mine":
        return f"taken.{uid}"
    if category:
        return f"{state}.{category}"
    return "" if state == "open" else state


def answer_reports(
    site: Site, by: Member, kind: str, why: str, report_ids: Sequence[str]
) -> Outcome:
    """Act once on each reported post or member of some open reports. A trip, and those of the acts.

    Raises Unavailable.
    """
    contents, times = site.db.fetch(listing.contents_of(report_ids), listing.open_since(report_ids))
    answered, refusals = 0, list[Refused]()
    subjects: dict[Subject, list[str]] = {}
    for report_id in dict.fromkeys(report_ids):
        content = contents.get(report_id)
        if content and report_id in times:
            _reporter, about, number = listing.parse_report_id(report_id)
            is_text = about in (reports.POST, reports.DRAFT)
            subject = Subject(content["author"], *((about, number) if is_text else ()))
            name = f"{report_id}@{times[report_id]}"
            subjects.setdefault(subject, []).append(name)
        elif content:
            refusals.append(Conflict("act_done"))
        elif f":{reports.DRAFT}." in report_id:  # another report has replaced it
            refusals.append(Conflict("not_waiting"))
    for subject, names in subjects.items():
        text = "\n".join(contents[names[0].partition("@")[0]].get("texts") or [])
        try:
            _answer(site, by, subject, kind, why, text, names)
            answered += len(names)
        except Refused as refusal:
            refusals.append(refusal)
    return Outcome(answered, tuple(refusals))


def member_file(db: Db, uid: int) -> MemberFile:
    """Return the facts about a member. Four trips. Raises NotFound."""
    member, acts, times, (inviter, invited) = db.fetch(
        accounts.get_or_404(uid),
        acts_on(uid),
        listing.times_in(f"about.{uid}", None, MEMBER_REPORTS),
        gather(own_invites.inviter_of(uid), own_invites.invited_by(uid, INVITED_SHOWN)),
    )
    uids = {inviter, *invited, *(uid for one in acts for uid in (one.by, one.answered_by))}
    people = db.read(accounts.get_many(uids - {0}))
    found = listing.with_contents(db, times, MEMBER_REPORTS)
    return MemberFile(member, acts, found, people, inviter, invited)


def waiting_appeals(before: int | None, size: int) -> Read[list[tuple[str, int]]]:
    """Read the names of acts whose appeals wait, the newest first, with their times."""
    bounds = (max_bound(before), "-inf", "BYSCORE", "REV", "LIMIT", 0, size + 1, "WITHSCORES")

    def parse(flat: Sequence[str]) -> list[tuple[str, int]]:
        return list(zip(flat[::2], map(int, flat[1::2]), strict=True))

    return read(("ZRANGE", keys.appeals(), *bounds), parse)


def appeals_page(db: Db, names: Sequence[tuple[str, int]], size: int) -> Page[Appeal]:
    """Return a page of appeals. Two trips, or three.

    Those of deleted accounts leave the list, and those that were answered before they came on it.
    """
    found = db.read(entries_of(name for name, _at in names))
    times = dict(names)
    people = db.read(accounts.get_many(uid for uid, _entry in found))
    rows = [
        (times[f"{uid}.{entry.number}"], Appeal(people[uid], entry))
        for uid, entry in found
        if uid in people and not entry.answer
    ]
    gone = times.keys() - {f"{one.member.uid}.{one.entry.number}" for _at, one in rows}
    if gone:
        db.run(("ZREM", keys.appeals(), *gone))
    return paginate(rows, size, names[-1][1] if len(names) > size else None)


def waiting_sign_ups(db: Db, size: int) -> list[tuple[Member, str]]:
    """Return the accounts that wait longest, each with why they want to join. Two trips.

    Others leave the list, such as those that an operator deleted: three more trips, if any.
    """
    uids = [int(uid) for uid in db.run(("ZRANGE", keys.waiting(), 0, size - 1))]
    reasons = collect(
        read(("HGET", account_keys.user(uid), "waiting"), lambda why: why or "") for uid in uids
    )
    people, found = db.fetch(accounts.get_many(uids), reasons)
    why = dict(zip(uids, found, strict=True))
    if gone := [uid for uid in uids if not why[uid] or uid not in people]:
        db.run(("ZREM", keys.waiting(), *gone))
        return waiting_sign_ups(db, size)
    return [(people[uid], why[uid]) for uid in uids]


def waiting_counts() -> Read[dict[str, int]]:
    """Read how much waits on each tab of the desk, by the tab."""
    reads = {
        "reports": read(("ZCOUNT", report_keys.reports(), "-inf", listing.shown_until()), int),
        "appeals": read(("ZCARD", keys.appeals()), int),
        "sign-ups": read(("ZCARD", keys.waiting()), int),
        **waiting_reads(),
    }
    return collect(reads.values()).map(lambda found: dict(zip(reads, found, strict=True)))


def _answer(
    site: Site, by: Member, subject: Subject, kind: str, why: str, text: str, names: list[str]
) -> None:
    """Act on one subject. Raises Refused.

    Reports about several people, or about a deleted account, can only be left. Those about a draft
    that has changed since, or is gone, are closed, and the act is refused.
    """
    on = ACTS[kind].on
    if subject.kind == reports.DRAFT and on != subject.kind:
        raise Conflict("review_first")
    if on == reports.DRAFT and on != subject.kind:
        raise Conflict("not_waiting")
    if subject.uid:
        if on == reports.POST and on != subject.kind:
            raise NotFound("no_status")
        try:
            acting.act(site, by, subject.uid, kind, why, subject.number, text, names)
            return
        except NotFound:
            if kind != "dismiss" and subject.kind != reports.DRAFT:
                raise
            kind = "dismiss"
    elif kind != "dismiss":
        raise NotFound("no_member")
    content = {"kind": kind, "about": "", "login": "", "by_login": by.login, "why": why}
    for name in names:
        log.write(site.db, f"report.{name}", acting.now_ms(), {**content, "post": 0})
    reports.close(site, names, by.uid, kind)
    if subject.kind == reports.DRAFT:
        raise Conflict("not_waiting")
