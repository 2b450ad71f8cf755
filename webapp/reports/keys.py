"""The keys of reports."""

from __future__ import annotations

from webapp.core.store.schema import Hash, SiteKey, ZSet

reports = SiteKey(
    "reports:{reports}",
    ZSet("`uid:cid:message`, `uid:post:id` or `uid:member:uid`", "unix ms"),
    bound="REPORTS_MAX, the oldest go",
    doc="The reports of members, each subject once by each.",
)


report_contents = SiteKey(
    "reports:{reports}:words",
    Hash("as in `reports`", "JSON"),
    bound="as `reports`",
    doc=(
        "The reported content, as it was then: JSON with `category`, `reason`, `author` (uid), "
        "`texts`."
    ),
)
