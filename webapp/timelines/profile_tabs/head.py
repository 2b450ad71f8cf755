"""The head of a member's profile, which all its tabs share, and the viewer's relation to them."""

from dataclasses import dataclass, replace

from webapp.accounts.member import Member
from webapp.config import Config
from webapp.core.errors import Forbidden, NotFound
from webapp.core.store import Read, Steps, ask, constant, gather, read, script
from webapp.following.profiles import Profile, profile
from webapp.following.relations import Relation, familiar_members, familiar_uids, relation
from webapp.statuses import Item, Timeline

COUNT_PUBLIC_LISTS = script("timelines/lua/count_public_lists.lua")


@dataclass(frozen=True, slots=True)
class ProfileHead:
    """A member's profile, and the viewer's relation: None for visitors and on one's own profile."""

    profile: Profile
    relation: Relation | None

    @property
    def viewer_follows(self) -> bool:
        """Return True if the viewer follows the member."""
        return self.relation is not None and self.relation.following


@dataclass(frozen=True, slots=True)
class ProfilePage:
    """A member's profile, the viewer's relation to another member, and a page of the timeline."""

    profile: Profile
    relation: Relation | None
    timeline: Timeline[Item]


def profile_head(config: Config, uid: int, viewer: int) -> Read[ProfileHead]:
    """Read a profile, and the relation of a viewer (0: a visitor) to the member.

    Raises NotFound; Forbidden if the member is suspended.
    """
    relation_read: Read[Relation | None] = constant(None)
    if viewer not in (0, uid):
        relation_read = relation(viewer, uid, config.familiar_sample)
    public_lists = read(COUNT_PUBLIC_LISTS(uid=uid), int)
    return gather(profile(uid).map(_require_profile), public_lists, relation_read).map(
        lambda found: ProfileHead(replace(found[0], lists=found[1]), found[2])
    )


def with_familiar(relation: Relation | None, uid: int) -> Steps[Relation | None]:
    """Return a viewer's relation to `uid` with familiar followers. Two steps, if there are any."""
    if relation is None:
        return None
    uids = yield from ask(familiar_uids(relation, uid))
    members = yield from ask(familiar_members(uids))
    return relation.with_familiar(uids, members)


def is_hidden_from(viewer: Member | None, page: ProfilePage) -> bool:
    """Return True if only followers see the member's statuses, and the viewer is not one."""
    member = page.profile.member
    follows = page.relation is not None and page.relation.following
    is_own = viewer is not None and viewer.uid == member.uid
    return member.protected and not is_own and not follows


def _require_profile(found: Profile | None) -> Profile:
    """Return the profile. Raises NotFound; Forbidden if the member is suspended."""
    if found is None:
        raise NotFound("no_member")
    if found.member.suspended:
        raise Forbidden("suspended")
    return found
