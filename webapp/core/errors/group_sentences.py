"""What people are told when a group refuses something."""

from __future__ import annotations

from flask_babel import lazy_gettext as _l
from flask_babel.speaklater import LazyString

GROUPS: dict[str, LazyString] = {
    "no_group": _l("This group doesn’t exist, or you can’t see it."),
    "many_groups": _l("Choose at most three groups."),
    "groups_not_open": _l("Several groups must all be open. Post to others one at a time."),
    "not_in_group": _l("Join the group first."),
    "owners_post": _l("Only owners post in this group."),
    "only_group_owners": _l("Only an owner of this group can do that."),
    "group_owner": _l("Owners can only step down themselves."),
    "group_banned": _l("An owner of this group has banned you from it."),
    "group_full": _l("This group is full."),
    "groups_full": _l("You’ve reached the limit for groups. Leave one first."),
    "group_owners_full": _l("This group has reached the limit for owners."),
    "group_requests_full": _l("Many people are waiting to join this group. Try again later."),
    "group_pins_full": _l("A group has at most three pinned posts. Unpin one first."),
    "group_invite_banned": _l("Somebody you chose is banned from this group."),
    "group_invite_bad": _l("This invitation has ended. Ask for a new one."),
    "group_invites_full": _l("Too many invitations are waiting. Revoke one first."),
    "cannot_invite_them": _l("You can’t invite this person."),
    "no_report": _l("This report was answered, or has gone to the people who run this site."),
    "group_last_owner": _l("A group needs an owner. Make someone else an owner, or close it."),
    "no_group_request": _l("This request was answered or taken back."),
    "slug_taken": _l("Another group has this address. Choose a different one."),
    "no_voting": _l("This group doesn’t have such votes."),
    "own_vote": _l("Your own post counts as one vote already."),
    "vote_late": _l("This post no longer takes votes."),
}
