"""The key of view counts."""

from __future__ import annotations

from webapp.core.store.schema import StatusKey, String

views = StatusKey(
    "views",
    String("HyperLogLog"),
    bound="12 KB; expires VIEW_DAYS after the status was posted, and goes with it",
    writers=(
        "`statuses/view_counts/lua/add_views.lua`, `statuses/lua/delete.lua`, "
        "`statuses/lua/purge_deleted_account.lua`"
    ),
    doc="About how many different people saw a status. It holds nobody's name or address.",
)
