"""Store reports, with a copy of their subject as it is now, and close them."""

from collections.abc import Mapping, Sequence
from typing import Any

import orjson

from webapp.accounts import profile, store as accounts
from webapp.accounts.member import Member
from webapp.core.errors import Invalid, NotFound
from webapp.core.store import Db, Site, script
from webapp.statuses import Status, keys as status_keys, store as statuses
from webapp.statuses.drafts import store as drafts
from webapp.statuses.polls.forms import OPTION_FIELDS
from webapp.statuses.visibility.groups import groups_of_others

from . import keys
from .category import Category

REPORT = script("reports/lua/report.lua")
CLOSE = script("reports/lua/close.lua")
TAKE = script("reports/lua/take.lua")
ANSWER_IN_GROUP = script("reports/lua/answer_in_group.lua")
HELD_MS = 48 * 3_600_000  # for which only owners of groups see a report
REASON_MAX = 500  # characters
BY_SITE = 0  # the uid of a report that the site makes itself
POST, MEMBER, DRAFT = "post", "member", "draft"  # in place of a chat's id in a report's id


def report_status(
    site: Site, uid: int, status_id: int, reason: str, category: Category = Category.OTHER
) -> bool:
    """Report a status. Return False if the member has reported it before.

    Owners of the groups that it is in see it first, unless it is urgent or one of them wrote it.
    Three trips, one more for a status in groups. Raises NotFound, Forbidden (as
    `statuses.store.get`), Invalid for an own status.
    """
    status = statuses.get(site.db, status_id, uid)
    _require_other(status.author, uid)
    subject = f"{POST}:{status_id}"
    texts, author = [_describe(status)], status.author.uid
    gids = [status.group, *status.more_groups] if status.group else []
    if not gids or "groups" not in site.config.enabled_features:
        return add(site, uid, subject, reason, author, texts, category)
    others = site.db.read(groups_of_others(gids, author))
    is_held = category is not Category.ILLEGAL and others == gids
    return add(site, uid, subject, reason, author, texts, category, others, is_held)


def report_member(
    site: Site, uid: int, login: str, reason: str, category: Category = Category.OTHER
) -> bool:
    """Report the member of a login. Return False if it was done before. Three trips.

    Raises NotFound, Invalid for oneself, Unavailable.
    """
    member = accounts.get_by_login(site.db, login)
    _require_other(member, uid)
    subject = f"{MEMBER}:{member.uid}"
    return add(site, uid, subject, reason, member.uid, [], category)


def report_by_site(site: Site, uid: int, term: str, at_ms: int, status_id: int = 0) -> None:
    """Report a member's status, or their profile, for a word that it has. Four trips.

    A report that was answered after `at_ms`, when the text was written, stays answered. Raises
    NotFound, Forbidden if it is gone.
    """
    if status_id:
        subject, text = f"{POST}:{status_id}", _describe(statuses.get(site.db, status_id, uid))
    else:
        member, about = site.db.fetch(accounts.get_or_404(uid), profile.about(uid))
        subject = f"{MEMBER}:{uid}"
        text = "\n".join(filter(None, (member.name, about.text, about.location, about.website)))
    earlier = site.db.run(("HGET", keys.report_contents(), f"{BY_SITE}:{subject}"))
    if not earlier or int(orjson.loads(earlier).get("done", 0)) < at_ms:
        add(site, BY_SITE, subject, term, uid, [text])


def report_draft(site: Site, uid: int, form_key: str, term: str) -> None:
    """Report a draft that waits for moderators, for a word that it has. Four trips.

    It replaces an open report of what the draft said before. Raises NotFound if it does not wait
    now.
    """
    draft = drafts.get(site.db, uid, form_key)
    if draft.error_code != "in_review":
        raise NotFound("no_draft")
    kind, texts = f"{DRAFT}.{uid}.{form_key}:", list(map(_describe_post, draft.posts))
    others = [int(draft.fields.get(one, 0)) for one in ("reply", "quote")]
    authors = site.db.trip_all(("HGET", status_keys.status(one), "author") for one in others)
    about = {
        name: (status_id, int(author))
        for name, status_id, author in zip(("parent", "quoted"), others, authors, strict=True)
        if author
    }
    add(site, BY_SITE, kind + draft.saved_ms, term, uid, texts, replaces=kind, about=about)


def add(
    site: Site,
    uid: int,
    subject: str,
    reason: str,
    author: int,
    texts: Sequence[str],
    category: Category = Category.OTHER,
    gids: Sequence[int] = (),
    is_held: bool = False,
    replaces: str = "",
    about: Mapping[str, tuple[int, int]] | None = None,
) -> bool:
    """Add a report to the list. Return False if the member has reported the subject before.

    `subject`: `<cid>:<message id>`, `post:<status id>`, `member:<uid>` or `draft.<uid>.<form's
    key>:<when it was saved>`. `author`: the uid of who wrote `texts`, 0 for several. `gids`: groups
    whose owners see it; `is_held`: moderators see it HELD_MS later. `replaces`: how the subjects of
    open reports begin that go. `about`: the id and the author of the post that a draft answers
    (`parent`), and of the one that it quotes (`quoted`). One trip.
    """
    content = {
        "category": category.value,
        "reason": reason[:REASON_MAX],
        "author": author,
        "texts": list(texts),
        **({"groups": list(map(str, gids))} if gids else {}),
        **{name: str(one) for name, (one, _author) in (about or {}).items()},  # cjson rounds it
        **{f"{name}_author": author for name, (_one, author) in (about or {}).items()},
    }
    reply = site.run(
        REPORT,
        report_id=f"{uid}:{subject}",
        content=orjson.dumps(content),
        replaces=f"{uid}:{replaces}" if replaces else "",
        held=HELD_MS if is_held else 0,
    )
    return bool(reply)


def answer_in_group(site: Site, uid: int, gid: int, report_ids: Sequence[str], passes: bool) -> int:
    """Dismiss reports for a group, or pass them on to the moderators. Return how many waited.

    The caller checks that the member owns the group. One trip, none without reports.
    """
    limit, passed = site.config.reports_max, "1" if passes else ""
    if not report_ids:
        return 0
    ids = list(report_ids)
    return int(site.run(ANSWER_IN_GROUP, gid=gid, by=uid, passes=passed, limit=limit, ids=ids))


def close(site: Site, names: Sequence[str], by: int, outcome: str) -> int:
    """Move open reports to those that are done, and return how many were open. One trip.

    `names`: ids, or `id@time` for the report of that time only. `by`: the uid of who answered
    them, 0 for an operator. `outcome`: the act that did.
    """
    limit = site.config.reports_max
    if not names:
        return 0
    return int(site.run(CLOSE, by=by, outcome=outcome, limit=limit, names=list(names)))


def take(db: Db, report_ids: Sequence[str], uid: int) -> int:
    """Note that a moderator takes care of open reports, and return how many. One trip."""
    return int(db.run(TAKE(by=uid, ids=list(report_ids)))) if report_ids else 0


def _require_other(member: Member, uid: int) -> None:
    if member.uid == uid:
        raise Invalid("report_yourself")


def _describe(status: Status) -> str:
    return _description(status.text, status.cw, len(status.pictures))


def _describe_post(post: Mapping[str, Any]) -> str:
    """Return the texts of a post in a draft: also of its poll, its place and its pictures."""
    names, pictures = ("text", *OPTION_FIELDS, "place"), post["pictures"]
    texts = (*(post.get(name) for name in names), *(picture.alt for picture in pictures))
    return _description("\n".join(filter(None, texts)), post.get("cw", ""), len(pictures))


def _description(text: str, warning: str, pictures: int) -> str:
    """Return a text with its warning and the number of its pictures."""
    extras = [f"[{pictures} pictures]"] if pictures else []
    warnings = [f"[warning: {warning}]"] if warning else []
    return " ".join([*warnings, text, *extras]).strip()
