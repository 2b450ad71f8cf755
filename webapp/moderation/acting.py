"""Act on members, take acts back, and appeal against them.

A script in the member's partition checks who may, applies the act and emits `moderated`. What lies
in other partitions follows at once (`finish`), and again in the projection if a process dies.
"""

import time
from collections.abc import Sequence
from contextlib import suppress

import orjson

from webapp.accounts import keys as account_keys, lifecycle
from webapp.accounts.email.addresses import acceptance
from webapp.accounts.member import Member
from webapp.core.errors import Forbidden, NotFound
from webapp.core.store import Site, script
from webapp.pagecache.member_versions import bump_versions
from webapp.reports import store as reports
from webapp.statuses import store as statuses
from webapp.statuses.attachments import staging

from . import keys, log
from .acts import ACTS, rank_of
from .history import KEPT, entry_of

ACT = script("moderation/lua/act.lua")
ANSWER = script("moderation/lua/answer.lua")
APPEAL = script("moderation/lua/appeal.lua")
LIST_APPEAL = script("moderation/lua/list_appeal.lua")
ACTS_MAX = 200  # acts on one member that are kept
ABOVE_ALL = 3  # a rank that nobody has
ABOUT_ANYBODY = ("note", "publish")  # acts on equals too
DECLINED_SECONDS = 30 * 86_400  # for which refused applicants are told so
TEXT_MAX = 1_000  # characters of a reason, a note or an appeal


def act(
    site: Site,
    by: Member,
    uid: int,
    kind: str,
    why: str,
    post: int = 0,
    text: str = "",
    report_names: Sequence[str] = (),
) -> int:
    """Act on a member, and return the number of the act. About five trips.

    `post`: the id of the post that it is about, or when a draft was saved; `text`: what that says.
    `report_names`: `id@time` of those that it answers. Raises Forbidden, NotFound, Unavailable;
    Conflict if it was done before.
    """
    what, rank, is_own = ACTS[kind], rank_of(by.rights), uid == by.uid
    if rank < what.rank or (is_own and kind != "note" and what.on != "draft"):
        raise Forbidden("cannot_act")  # the script refuses drafts of one's own that wait
    subject = {"draft" if what.on == "draft" else "post": post, "text": text} if post else {}
    content = {"kind": kind, "by": by.uid, "at": now_ms(), "why": why[:TEXT_MAX], **subject}
    reply = site.run(
        ACT,
        uid=uid,
        by=by.uid,
        kind=kind,
        rank=ABOVE_ALL if kind in ABOUT_ANYBODY or is_own else rank,
        same=int(kind == "dismiss"),
        is_told=int(what.told is not None),
        post=post,
        entry=orjson.dumps(content),
        kept_ms=int(KEPT.total_seconds() * 1000),
        limit=ACTS_MAX,
        notice=acceptance(site, uid) if kind == "accept" else "",
        reports=" ".join(report_names),
    )
    number = int(reply)
    finish(site, uid, number, report_names)
    return number


def answer(site: Site, by: Member, uid: int, number: int, granted: bool) -> None:
    """Take an act back, which grants an appeal, or refuse the appeal. About five trips.

    Raises NotFound, Forbidden, Conflict if it was answered before.
    """
    entry = NotFound.unless(site.db.read(entry_of(uid, number)), "no_act")
    if granted and not entry.act.can_undo and not entry.appeal:
        raise Forbidden("cannot_act")
    site.run(
        ANSWER,
        uid=uid,
        by=by.uid,
        number=number,
        kind=entry.kind,
        rank=rank_of(by.rights),
        granted=int(granted),
        post=entry.post or entry.draft,
        answer=orjson.dumps({"by": by.uid, "at": now_ms(), "granted": int(granted)}),
    )
    finish_answer(site, uid, number)


def appeal(site: Site, uid: int, number: int, text: str) -> None:
    """Appeal against an act on oneself, once. Two trips.

    Raises NotFound, Conflict if that was done before, Unavailable.
    """
    now = now_ms()
    content = orjson.dumps({"at": now, "text": text[:TEXT_MAX]})
    site.run(APPEAL, uid=uid, number=number, appeal=content)
    site.db.run(LIST_APPEAL(name=f"{uid}.{number}", at=now))


def read_warning(site: Site, uid: int) -> None:
    """Note that a member has read a warning. One trip."""
    site.db.run(("HDEL", account_keys.user(uid), "warned"))


def finish(site: Site, uid: int, number: int, report_names: Sequence[str]) -> None:
    """Do the rest of an act after its script: post, account, log, reports. Safe to repeat.

    About five trips.
    """
    entry = site.db.read(entry_of(uid, number))
    if entry is None:  # the account is gone
        return
    if entry.kind == "remove":
        with suppress(NotFound, Forbidden):  # removed before
            names = statuses.delete(site, uid, entry.post)
            staging.discard(site, uid, names)
    log.add(site.db, f"{uid}.{number}", uid, entry)
    reports.close(site, report_names, entry.by, entry.kind)
    if entry.kind == "refuse":
        _note_declined(site, uid)
        with suppress(NotFound):
            lifecycle.delete_account(site, uid, None)
    elif ACTS[entry.kind].on in ("member", "application"):
        bump_versions(site.db, [uid])
    if ACTS[entry.kind].on == "application":
        site.db.run(("ZREM", keys.waiting(), uid))


def finish_answer(site: Site, uid: int, number: int) -> None:
    """Log an answer, and take the appeal off the list. Safe to repeat. About four trips."""
    entry = site.db.read(entry_of(uid, number))
    if entry and entry.answer:
        log.add(site.db, f"{uid}.{number}.{entry.answer}", uid, entry, is_answer=True)
    site.db.run(("ZREM", keys.appeals(), f"{uid}.{number}"))
    bump_versions(site.db, [uid])


def _note_declined(site: Site, uid: int) -> None:
    """Keep the password of a refused sign-up, so that the applicant is told. Two trips."""
    login, password_hash = site.db.trip(
        ("HGET", account_keys.user(uid), "login"), ("GET", account_keys.password(uid))
    )
    if login and password_hash:
        site.db.run(("SET", account_keys.declined(login), password_hash, "EX", DECLINED_SECONDS))


def now_ms() -> int:
    """Return the time in unix ms."""
    return int(time.time() * 1000)
