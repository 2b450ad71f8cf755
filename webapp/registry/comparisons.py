"""The events of `linnet doctor --verify --repair`: both sides of an act are compared again.

They do what the act did, but notify nobody and send nothing to streams.
"""

from webapp.core.events.registry import Projections
from webapp.core.store import script
from webapp.following import projections as following
from webapp.following.blocks import projections as blocks
from webapp.statuses.interactions import boost_projections as boosts, like_projections as likes
from webapp.timelines.page_invalidation import member_pages, status_pages

CHECK_AGAIN = script("registry/lua/check_again.lua")

LOG_COMPARISONS: Projections = {
    "like_checked": (likes.sync_likers, status_pages.for_likes),
    "boost_checked": (boosts.sync_boosters, status_pages.for_boosts),
    "block_checked": (blocks.sync_blockers,),
}
FANOUT_COMPARISONS: Projections = {
    "follow_checked": (following.sync_followers, member_pages.for_follows),
}
