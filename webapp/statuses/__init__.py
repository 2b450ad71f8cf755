"""Statuses: posting, reading and deleting them, and members' actions on them."""

from .boost_refs import BoostRef as BoostRef
from .filters.filter_set import NO_FILTERS as NO_FILTERS, Filter as Filter, FilterSet as FilterSet
from .filters.store import filters_of as filters_of
from .hydration import Hydrated as Hydrated, hydrate as hydrate
from .items import Item as Item, status_of as status_of, uids_on_page as uids_on_page
from .listings.pipeline import Listing as Listing, Skeleton as Skeleton
from .listings.timeline import Timeline as Timeline
from .lookup import (
    Entry as Entry,
    entries_of as entries_of,
    statuses as statuses,
    stored_status as stored_status,
)
from .status import Status as Status, StoredStatus as StoredStatus
from .values.pictures import Picture as Picture
from .values.places import Place as Place
from .values.poll import Poll as Poll
from .values.visibility import Visibility as Visibility
from .viewer.viewer_state import ViewerState as ViewerState
from .visibility.policy import Relationship as Relationship, may_be_found as may_be_found
from .visibility.relationships import relationship as relationship
