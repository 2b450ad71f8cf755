"""Members and statuses for the steps of a machine to choose from."""

from hypothesis import strategies as st

from webapp.statuses import Visibility
from webapp.statuses.values.visibility import WIDEST_FIRST

NOTHING = 0  # no status
MEMBERS = 4
members = st.integers(1, MEMBERS)  # their uids
posts = st.integers(0, 9)  # how many posts ago
booleans = st.booleans()
visibilities = st.sampled_from([Visibility.PUBLIC, Visibility.PUBLIC, *WIDEST_FIRST])
