"""The first steps: which there are, which a member has done, and which comes next."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import Enum

from webapp.accounts import keys as account_keys
from webapp.accounts.factors import keys as factor_keys
from webapp.accounts.member import Member
from webapp.core.store import Db, Read, gather, read
from webapp.following import keys as following_keys
from webapp.statuses import keys as status_keys
from webapp.timelines import keys as timeline_keys

from .topics import CachedNames, cached_names


class Step(Enum):
    """The steps in their order. The values are the ends of their addresses, and of endpoints."""

    TOPICS = "topics"
    PEOPLE = "people"
    PICTURE = "picture"
    CODES = "codes"
    POST = "post"


@dataclass(frozen=True, slots=True)
class SiteSteps:
    """The site's part of the steps: cached topics, and whether there are other members."""

    topics: CachedNames
    has_others: bool

    def available(self, names: Sequence[str]) -> list[Step]:
        """Return the steps with something to show. `names`: of topics."""
        empty = {Step.TOPICS: not names, Step.PEOPLE: not self.has_others}
        return [step for step in Step if not empty.get(step)]


@dataclass(frozen=True, slots=True)
class Progress:
    """The place of a step among the others. `next`: the one after it, None after the last."""

    number: int
    count: int
    next: Step | None


def progress(available: Sequence[Step], step: Step) -> Progress:
    """Return the progress at a step."""
    steps = [one for one in Step if one is step or one in available]
    place = steps.index(step)
    following = steps[place + 1] if place + 1 < len(steps) else None
    return Progress(place + 1, len(steps), following)


def first_undone(steps: Sequence[Step], done: Collection[Step]) -> Step | None:
    """Return the first step that a member has not done, None if there is none."""
    return next((step for step in steps if step not in done), None)


def site_steps() -> Read[SiteSteps]:
    """Read the site's part of the steps, equal for all members."""
    last_uid = read(("GET", account_keys.last_uid()), lambda uid: int(uid or 0))
    return gather(cached_names(), last_uid).map(lambda found: SiteSteps(found[0], found[1] > 1))


def done_steps(db: Db, member: Member) -> set[Step]:
    """Return the steps that a member has done. One trip."""
    uid = member.uid
    tags, follows, recovery_codes, posts = db.trip(
        ("EXISTS", timeline_keys.followed_tags(uid)),
        ("EXISTS", following_keys.following(uid)),
        ("EXISTS", factor_keys.recovery_codes(uid)),
        ("EXISTS", status_keys.profile_statuses(uid)),
    )
    facts = {
        Step.TOPICS: tags,
        Step.PEOPLE: follows,
        Step.PICTURE: member.avatar,
        Step.CODES: recovery_codes,
        Step.POST: posts,
    }
    return {step for step, is_done in facts.items() if is_done}


def finish(db: Db, uid: int) -> None:
    """Offer the first steps no longer. Doing it again changes nothing. One trip."""
    db.run(("HDEL", account_keys.user(uid), "first_steps"))
