"""Job offers of members, and the skills of members who look for them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from webapp.accounts.member import Member
from webapp.core.bans.texts import check_texts
from webapp.core.store import Db, Read, Site, collect, created_at, read, read_numbers, script
from webapp.core.store.ids import MAX_ID
from webapp.core.web import Page, max_bound
from webapp.statuses.visibility.relationships import listed_members

from . import keys
from .skills import Skill, fold_name, pack_skills, parse_skills, place_words

SAVE_OFFER = script("community/jobs/lua/save_offer.lua")
CLOSE_OFFER = script("community/jobs/lua/close_offer.lua")
SAVE_SKILLS = script("community/jobs/lua/save_skills.lua")
SEARCH_OFFERS = script("community/jobs/lua/search_offers.lua")
FITTING = script("community/jobs/lua/fitting.lua")
CANDIDATES = script("community/jobs/lua/candidates.lua")
JOBS_MAX = 20_000  # open offers of the site
OWN_JOBS_MAX = 20  # open offers of a member
JOB_DAYS = 60
CANDIDATES_MAX = 20_000  # members who show their skills
CANDIDATES_SHOWN = 50
EXAMINED_MAX = 200  # offers or members that one search compares
SUGGESTED_SKILLS = 200


@dataclass(frozen=True, slots=True)
class Offer:
    """A job offer as its author writes it. `place`: "" where it is done remotely only."""

    title: str
    text: str
    place: str
    remote: bool
    skills: tuple[Skill, ...]


@dataclass(frozen=True, slots=True)
class Job:
    """An open offer. `uid`: of its author."""

    id: int
    uid: int
    offer: Offer

    @property
    def posted(self) -> datetime:
        """Return when it was posted."""
        return created_at(self.id)

    @property
    def ends(self) -> datetime:
        """Return when it ends by itself."""
        return self.posted + timedelta(days=JOB_DAYS)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A member's skills. `shown`: authors of offers that fit see them."""

    skills: tuple[Skill, ...] = ()
    shown: bool = False


Found = tuple[list[int], int | None]  # ids, newest first, and the cursor of the next page


def save(site: Site, uid: int, offer: Offer, job_id: int | None = None) -> int:
    """Save a new offer, or a changed one, and return its id. One trip.

    A new one that equals another is that one. Raises NotFound, Forbidden (not one's own), Conflict
    (too many are open), RefusedText.
    """
    names = (skill.name for skill in offer.skills)
    check_texts(site.config, offer.title, offer.text, offer.place, *names)
    reply = site.run(
        SAVE_OFFER,
        uid=uid,
        id=job_id or "",
        title=offer.title,
        text=offer.text,
        place=offer.place,
        place_words=place_words(offer.place),
        remote="1" if offer.remote else "",
        skills=pack_skills(offer.skills),
        jobs_max=JOBS_MAX,
        own_max=OWN_JOBS_MAX,
    )
    return int(reply)


def close(site: Site, uid: int, job_id: int) -> None:
    """Close an offer of one's own. One trip. Raises NotFound, Forbidden."""
    site.run(CLOSE_OFFER, uid=uid, id=job_id)


def save_skills(site: Site, uid: int, candidate: Candidate) -> None:
    """Save a member's skills, in place of those before. One trip.

    Raises Conflict (CANDIDATES_MAX members show theirs), RefusedText.
    """
    check_texts(site.config, *(skill.name for skill in candidate.skills))
    site.run(
        SAVE_SKILLS,
        uid=uid,
        skills=pack_skills(candidate.skills),
        shown="1" if candidate.shown else "",
        limit=CANDIDATES_MAX,
    )


def candidate_of(uid: int) -> Read[Candidate]:
    """Read a member's skills."""

    def parse(fields: Sequence[Any]) -> Candidate:
        return Candidate(parse_skills(fields[0]), bool(fields[1]))

    return read(("HMGET", keys.candidate(uid), "skills", "shown"), parse)


def search(skill: str, place: str, before: int | None, size: int) -> Read[Found]:
    """Read the newest offers that need a skill and are at a place, or remote. "": any.

    An offer is at a place if it names all words of it.
    """
    command = SEARCH_OFFERS(
        skill_key=fold_name(skill),
        place_key=fold_name(place),
        place_words=place_words(place),
        bound=max_bound(before),
        size=size + 1,
    )

    def parse(reply: Sequence[Any]) -> Found:
        ids = [int(one) for one in reply]
        return ids[:size], ids[size - 1] if len(ids) > size else None

    return read(command, parse)


def fitting(uid: int, lacking: int, before: int | None, size: int) -> Read[Found]:
    """Read the newest offers of which a member lacks exactly `lacking` skills: 0 or 1.

    One trip compares EXAMINED_MAX offers. A page may be short; its cursor then continues.
    """
    command = FITTING(
        uid=uid, lacking=lacking, below=before or MAX_ID, size=size, examined=EXAMINED_MAX
    )
    return read(command, lambda reply: ([int(one) for one in reply[0]], int(reply[1] or 0) or None))


def own_ids(uid: int) -> Read[list[int]]:
    """Read the ids of a member's open offers, newest first."""
    return read_numbers(("ZRANGE", keys.own_jobs(uid), 0, -1, "REV"))


def get(job_id: int) -> Read[Job | None]:
    """Read an open offer. Its reader may not see its author: see `visible_page`."""

    def parse(fields: Sequence[Any]) -> Job | None:
        uid, title, text, place, remote, skills = fields
        if uid is None:
            return None
        offer = Offer(title, text, place, bool(remote), parse_skills(skills))
        return Job(job_id, int(uid), offer)

    names = ("uid", "title", "text", "place", "remote", "skills")
    return read(("HMGET", keys.job(job_id), *names), parse)


def candidates(
    job_id: int, before: str = "", size: int = CANDIDATES_SHOWN
) -> Read[tuple[list[tuple[int, tuple[Skill, ...]]], str]]:
    """Read the uids and skills of members who have all that an offer needs, newest first.

    They come with the cursor of the next ones, "" at the end. One trip compares EXAMINED_MAX
    members.
    """
    command = CANDIDATES(id=job_id, below=before or MAX_ID, size=size, examined=EXAMINED_MAX)

    def parse(reply: Sequence[Any]) -> tuple[list[tuple[int, tuple[Skill, ...]]], str]:
        found, next_cursor = reply
        pairs = zip(found[::2], found[1::2], strict=True)
        return [(int(uid), parse_skills(skills)) for uid, skills in pairs], next_cursor

    return read(command, parse)


def skill_names() -> Read[list[str]]:
    """Read the skills that most offers need, for suggestions."""
    return read(("ZRANGE", keys.skill_names(), 0, SUGGESTED_SKILLS - 1, "REV"), list)


def visible_page(db: Db, viewer: int, found: Found) -> Page[tuple[Job, Member]]:
    """Return found offers with their authors, without those that the viewer may not see.

    Those of members whom moderators have limited are left out for others. Two trips.
    """
    ids, next_cursor = found
    jobs = [job for job in db.read(collect(map(get, ids))) if job]
    members = db.read(listed_members(viewer, [job.uid for job in jobs]))
    pairs = ((job, members[job.uid]) for job in jobs if job.uid in members)
    return Page(tuple(pairs), next_cursor)
