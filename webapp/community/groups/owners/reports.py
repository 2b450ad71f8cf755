"""Reports of posts in a group, which its owners see first. They do not learn who reported."""

from contextlib import suppress
from dataclasses import dataclass

from webapp.accounts.member import Member
from webapp.community.groups.posts import drop_post
from webapp.core.errors import Forbidden, NotFound
from webapp.core.store import Site, gather, read
from webapp.reports import listing
from webapp.reports.listing import Report, parse_report_id
from webapp.reports.store import answer_in_group
from webapp.statuses.visibility import keys as group_keys

LISTED_MAX = 200  # reports that a page shows


@dataclass(frozen=True, slots=True)
class ReportedPost:
    """A post with its reports, the newest first. `texts`: a copy from then."""

    status_id: int
    author: Member | None
    texts: list[str]
    reports: tuple[Report, ...]


def reported_posts(site: Site, gid: int) -> list[ReportedPost]:
    """Return the posts whose reports the owners of a group may answer. Three trips."""
    times = site.db.read(listing.times_in_group(gid, LISTED_MAX))
    by_post: dict[int, list[Report]] = {}
    for report in listing.with_contents(site.db, times, LISTED_MAX).items:
        by_post.setdefault(report.status_id, []).append(report)
    return [
        ReportedPost(status_id, reports[0].author, reports[0].texts, tuple(reports))
        for status_id, reports in by_post.items()
    ]


def dismiss(site: Site, uid: int, gid: int, status_id: int) -> None:
    """Dismiss the reports of a post, as an owner. Two trips. Raises NotFound, Forbidden."""
    _answer(site, uid, gid, _reports_of(site, uid, gid, status_id), passes=False)


def pass_on(site: Site, uid: int, gid: int, status_id: int) -> None:
    """Pass the reports of a post on, as an owner. Two trips. Raises NotFound, Forbidden."""
    _answer(site, uid, gid, _reports_of(site, uid, gid, status_id), passes=True)


def remove_reported(site: Site, uid: int, gid: int, status_id: int) -> None:
    """Take a reported post off the group, as an owner; then its reports are done. Four trips.

    They stay if it ends in between. Raises NotFound, Forbidden.
    """
    names = _reports_of(site, uid, gid, status_id)
    with suppress(NotFound):  # it is gone, or another owner was here first
        drop_post(site, uid, gid, status_id)
    _answer(site, uid, gid, names, passes=False)


def _reports_of(site: Site, uid: int, gid: int, status_id: int) -> list[str]:
    """Return the ids of a post's reports. One trip. Raises NotFound, Forbidden for no owner."""
    is_owner, times = site.db.read(
        gather(
            read(("SISMEMBER", group_keys.group_owners(gid), uid), bool),
            listing.times_in_group(gid, LISTED_MAX),
        )
    )
    if not is_owner:
        raise Forbidden("only_group_owners")
    names = [name for name in times if parse_report_id(name)[2] == status_id]
    return NotFound.unless(names, "no_report")


def _answer(site: Site, uid: int, gid: int, names: list[str], passes: bool) -> None:
    if not answer_in_group(site, uid, gid, names, passes):
        raise NotFound("no_report")
