"""The group `discovery`: what only readers of search, trends and completion wait for.

Deliveries do not wait for it. It comes a little later, in larger runs. Nothing here may need what
`fanout` writes, such as lists of followers: the two groups are in no order.
"""

from webapp.autocomplete import contact_projections as contacts
from webapp.core.events.outbox import together
from webapp.core.events.registry import Projections
from webapp.search.index import bookmark_projections as search_bookmarks, projections as search
from webapp.timelines.trends import projections as trends

DISCOVERY: Projections = {
    "posted": (together(trends.sync_posts, search.index_statuses, contacts.note_posts),),
    "imported": (search.index_statuses,),
    "deleted": (trends.sync_posts,),
    "edited": (trends.sync_posts,),
    "boosted": (trends.sync_boosts,),
    "unboosted": (trends.sync_boosts,),
    "counted": (search.index_counts,),
    "bookmarked": (search_bookmarks.index_bookmarks,),
    "unbookmarked": (search_bookmarks.index_bookmarks,),
}
