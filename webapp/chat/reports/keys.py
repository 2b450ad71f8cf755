"""What reports of messages store."""

from __future__ import annotations

from webapp.core.store.schema import Hash, SiteKey, ZSet

reports = SiteKey(
    "reports:{reports}",
    ZSet("`uid:cid:message`", "unix ms"),
    bound="REPORTS_MAX, the oldest go",
    writers="`chat/reports/lua/report.lua`, `chat/reports/store.py`",
    doc="What members have reported, each message once by each.",
)


report_contents = SiteKey(
    "reports:{reports}:words",
    Hash("as in `reports`", "JSON"),
    bound="as `reports`",
    writers="`chat/reports/lua/report.lua`, `chat/reports/store.py`",
    doc="What was reported, as it was then: JSON with `reason`, `author` (uid), `texts`.",
)
