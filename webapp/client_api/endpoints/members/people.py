"""People whom the caller blocks or mutes, who ask to follow, and who is suggested."""

from datetime import UTC, datetime
from functools import partial
from typing import Any, ClassVar

import msgspec
from flask import g

from webapp.client_api.declaration import ApiBlueprint
from webapp.client_api.entities.account import Account, MutedAccount
from webapp.client_api.entities.relationship import Relationship, mute_expiry, relationships_of
from webapp.client_api.http import Id, Listed, PeoplePaging, Ranked, cleaned, format_time
from webapp.client_api.newer import ranked_page, upper_bound
from webapp.client_api.presentation import present_people
from webapp.client_api.status_reads.account_reads import accounts_of, login_of
from webapp.core.errors import NotFound
from webapp.core.forms.fields import normalize_text
from webapp.core.web import config, db, site, viewer_uid
from webapp.explore.suggestions import store as suggestions
from webapp.explore.suggestions.reasons import Why
from webapp.following import keys as following_keys
from webapp.following.blocks import store as blocks
from webapp.following.mutes import store as mutes
from webapp.following.requests import store as requests
from webapp.reports import store as reports
from webapp.reports.category import Category
from webapp.statuses import relationship

bp = ApiBlueprint("people")
CATEGORIES = {"spam": Category.SPAM, "legal": Category.ILLEGAL, "violation": Category.OTHER}
DIRECTORY_MAX = 60  # members of the directory
REPORTED_MAX = 10  # statuses of one report
# Why somebody is suggested, in the words of older clients, and of newer ones.
FEATURED = "staff", ["featured"]
SIMILAR = "past_interactions", ["similar_to_recently_followed"]
OF_FRIENDS = "past_interactions", ["friends_of_friends"]
SOURCES = {
    Why.FOLLOWED: OF_FRIENDS,
    Why.COMMON: OF_FRIENDS,
    Why.FOLLOWED_TAG: SIMILAR,
    Why.USED_TAG: SIMILAR,
    Why.POPULAR: ("global", ["most_followed"]),
}


@bp.declare("GET /api/v1/blocks", "read:blocks")
def blocked(params: PeoplePaging) -> Listed[Account]:
    """Return whom the caller blocks."""
    uid = g.viewer.uid
    return present_people(params, following_keys.blocks(uid), partial(blocks.page, db(), uid))


@bp.declare("GET /api/v1/mutes", "read:mutes")
def muted(params: PeoplePaging) -> Listed[MutedAccount]:
    """Return the members whom the caller mutes, with the ends of mutes."""
    before = upper_bound(params, following_keys.mutes(g.viewer.uid))
    page = mutes.page(db(), g.viewer.uid, before, params.size, params.floor or 0)
    shown = db().read(accounts_of(one.member.uid for one in page.items))
    found = [(shown.get(one.member.uid), mute_expiry(one.mute)) for one in page.items]
    accounts = [
        MutedAccount(**msgspec.structs.asdict(account), mute_expires_at=expiry)
        for account, expiry in found
        if account
    ]
    return Listed(accounts, page.next, page.first)


@bp.declare("GET /api/v1/follow_requests", "read:follows")
def requested(params: PeoplePaging) -> Listed[Account]:
    """Return who asks to follow the caller."""
    uid = g.viewer.uid
    key = following_keys.follow_requests(uid)
    return present_people(params, key, partial(requests.page, db(), uid))


@bp.declare("POST /api/v1/follow_requests/<id:uid>/authorize", "write:follows", limit="follow")
def authorize(uid: int) -> Relationship:
    """Let a member follow the caller."""
    return _answered(uid, True)


@bp.declare("POST /api/v1/follow_requests/<id:uid>/reject", "write:follows", limit="follow")
def reject(uid: int) -> Relationship:
    """Refuse a member's request to follow the caller."""
    return _answered(uid, False)


class RankedPeople(Ranked):
    """Which people are asked for, counted from the best."""

    limit: int = 40
    most: ClassVar[int] = 80


class Suggestion(msgspec.Struct):
    """A member to follow, and why: in the words of older clients, and of newer ones."""

    source: str
    sources: list[str]
    account: Account


@bp.declare("GET /api/v1/suggestions", "read")
def suggested_v1(params: RankedPeople) -> Listed[Account]:
    """Return people whom the caller might want to follow."""
    page = suggested(params)
    return page.showing([one.account for one in page.items])


@bp.declare("GET /api/v2/suggestions", "read")
def suggested(params: RankedPeople) -> Listed[Suggestion]:
    """Return people whom the caller might want to follow, and why."""
    uid = g.viewer.uid
    candidates = db().read(suggestions.candidates(uid))
    found = suggestions.suggested(db(), uid, params.asked.stop, candidates)
    page = ranked_page(params, [(one.member.uid, one.suggestion.why) for one in found])
    accounts = db().read(accounts_of(other for other, _ in page.items))
    shown = [(SOURCES.get(why, FEATURED), accounts.get(other)) for other, why in page.items]
    return page.showing([Suggestion(*names, account) for names, account in shown if account])


def _answered(uid: int, accepted: bool) -> Relationship:
    """Answer a request to follow. The worker makes the follow a moment later.

    Raises NotFound if there is none, unless it was accepted before.
    """
    was_there = requests.answer(site(), g.viewer.uid, login_of(uid), accepted)
    found = db().read(relationships_of(g.viewer.uid, [uid]))[0]
    if not was_there and not (accepted and found.followed_by):
        raise NotFound("no_request")
    followed = found.followed_by or (accepted and was_there)
    return msgspec.structs.replace(found, followed_by=followed)


@bp.declare("DELETE /api/v1/suggestions/<id:uid>", "write:accounts")
def dismiss(uid: int) -> None:
    """Stop suggesting a member."""
    suggestions.dismiss(db(), g.viewer.uid, login_of(uid))


@bp.declare("GET /api/v1/directory", "", public=True)
def directory(params: RankedPeople) -> Listed[Account]:
    """Return popular members and the newest, without those that the caller blocks."""
    found = db().read(suggestions.candidates(None))
    known = suggestions.popular_members(db(), DIRECTORY_MAX, found)
    uids = [one.member.uid for one in known]
    shown, between = db().fetch(accounts_of(uids), relationship(viewer_uid(), uids))
    visible = [uid for uid in uids if uid in shown and between.visible_on_request(uid)]
    return ranked_page(params, [shown[uid] for uid in visible])


@bp.declare("POST /api/v1/reports", "write:reports", limit="follow")
def report(
    account_id: Id = 0,
    status_ids: tuple[Id, ...] = (),
    comment: str = "",
    category: str = "other",
    rule_ids: tuple[int | str, ...] = (),
) -> dict[str, Any]:
    """Report a member, or some of their statuses, to the operator.

    `rule_ids`: the rules of the site that they break, which the operator reads below the comment.
    """
    uid, kind = g.viewer.uid, CATEGORIES.get(category, Category.OTHER)
    rules = {str(number): rule for number, rule in enumerate(config().rule_list, 1)}
    broken = [number for number in rules if number in map(str, rule_ids)]
    said = cleaned("Comment", normalize_text, comment, reports.REASON_MAX)
    reason = "\n".join(filter(None, [said, *map(rules.__getitem__, broken)]))
    login = login_of(account_id)
    for status_id in status_ids[:REPORTED_MAX]:
        reports.report_status(site(), uid, status_id, reason, kind)
    if not status_ids:
        reports.report_member(site(), uid, login, reason, kind)
    shown = db().read(accounts_of([account_id]))
    return {
        "id": str(account_id),
        "action_taken": False,
        "action_taken_at": None,
        "category": category if category in CATEGORIES else "other",
        "comment": comment,
        "forwarded": False,
        "created_at": format_time(datetime.now(UTC)),
        "status_ids": [str(one) for one in status_ids],
        "rule_ids": broken or None,
        "target_account": shown.get(account_id),
    }
