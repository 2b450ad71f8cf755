"""Projections and jobs of groups."""

from webapp.core.events.registry import Registry

from . import projections
from .invitations.projections import notify_accepted, sync_invitations

WORK = Registry(
    projections={
        "log": {
            "group_created": (projections.sync_slugs, projections.sync_members),
            "group_members": (projections.sync_members, notify_accepted),
            "group_invited": (sync_invitations,),
            "group_edited": (projections.remove_replaced_pictures,),
            "group_closed": (projections.sync_slugs, projections.sync_members),
            # Few commands, whose writer looks at the group at once: not behind large deliveries.
            "posted": (projections.place_posts,),
            "deleted": (projections.place_posts,),
        },
    },
    bulk={
        "group_closed": (projections.clear_memberships, projections.remove_pictures),
        "account_deleted": (projections.purge_deleted_account,),
    },
)
