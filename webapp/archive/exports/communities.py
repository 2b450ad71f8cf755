"""Read a member's votes and groups, and their part in optional systems.

A system that is not installed has no rows.
"""

from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any

from webapp.core.store import Read, collect, gather, read, to_dict
from webapp.features import feature_modules
from webapp.statuses.polls import keys as poll_keys
from webapp.statuses.values.poll import OPTIONS_MAX, includes_option
from webapp.statuses.visibility import keys as group_keys

from .sources import Owner, Row, links_of, time_of_ms

Group = tuple[list[str | None], float | None]  # its name and address, and since when


def read_votes(owner: Owner) -> list[Row]:
    """Read the polls that the member voted in, and the answers, from 1. Three trips."""
    votes = to_dict(owner.site.db.run(("HGETALL", poll_keys.member_votes(owner.uid))))
    links = links_of(owner, map(int, votes))
    return [
        {"url": link, "answers": [at + 1 for at in range(OPTIONS_MAX) if includes_option(bits, at)]}
        for status_id, link in links.items()
        for bits in [int(votes[str(status_id)])]
    ]


def read_groups(owner: Owner) -> list[Row]:
    """Read the groups that the member is in. Two trips."""
    gids = owner.site.db.run(("ZRANGE", group_keys.groups(owner.uid), 0, -1))
    found = owner.site.db.read(collect(_group(int(gid), owner.uid) for gid in gids))
    return [
        {"name": name, "url": owner.link(f"/groups/{slug}"), "since": time_of_ms(since)}
        for (name, slug), since in found
        if slug and since
    ]


def _group(gid: int, uid: int) -> Read[Group]:
    return gather(
        read(("HMGET", group_keys.group(gid), "name", "slug"), list),
        read(("ZSCORE", group_keys.group_members(gid), uid), lambda at: float(at) if at else None),
    )


def read_job_offers(owner: Owner) -> list[Row]:
    """Read the member's open job offers. Two trips."""
    if not (jobs := _module("jobs")):
        return []
    found = owner.site.db.read(collect(map(jobs.get, owner.site.db.read(jobs.own_ids(owner.uid)))))
    return [asdict(job.offer) for job in found if job]


def read_skills(owner: Owner) -> list[Row]:
    """Read the member's skills. One trip."""
    jobs = _module("jobs")
    skills = owner.site.db.read(jobs.candidate_of(owner.uid)).skills if jobs else ()
    return [asdict(skill) for skill in skills]


def read_orders(owner: Owner) -> list[Row]:
    """Read the member's orders of drops that have not expired. Two trips."""
    if not (drops := _module("drops")):
        return []
    ids = owner.site.db.read(drops.ordered_ids(owner.uid, drops.ORDERS_MAX))
    return [
        {"title": drop.title, "state": order.state, "at": order.at.isoformat(timespec="seconds")}
        for drop, order in owner.site.db.read(drops.orders(ids, owner.uid))
    ]


def read_promotions(owner: Owner) -> list[Row]:
    """Read the posts that the member promoted, and on which terms. Four trips."""
    if not (promotions := _module("promotions")):
        return []
    ids = owner.site.db.read(promotions.promoted_ids(owner.uid))
    links, found = links_of(owner, ids), owner.site.db.read(collect(map(promotions.find, ids)))
    return [
        {"url": links[one.id], "state": one.state, **asdict(one.terms)}
        for one in found
        if one and one.id in links
    ]


def read_check_in_days(owner: Owner) -> list[Row]:
    """Read the days on which the member checked in, a row a year. One trip."""
    if not (month := _module("checkin", "month")):
        return []
    years = range(month.FIRST_YEAR, datetime.now(UTC).year + 2)  # some zones are a day ahead
    found = owner.site.db.read(collect(month.marked_days(owner.uid, year) for year in years))
    return [{"year": days[0].year, "days": [f"{day}" for day in days]} for days in found if days]


def read_position(owner: Owner) -> list[Row]:
    """Read where people nearby find the member, if they do. One trip."""
    people = _module("nearby", "people")
    position = owner.site.db.read(people.position_of(owner.uid)) if people else None
    return [{"latitude": position[1][0], "longitude": position[1][1]}] if position else []


def _module(feature: str, name: str = "store") -> Any:
    """Return a module of an optional system, None if the system is not installed."""
    return dict(feature_modules(name)).get(feature)
