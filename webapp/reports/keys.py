"""The keys of reports."""

from webapp.core.store.schema import Hash, Key, SiteKey, ZSet

reports = SiteKey(
    "reports:{reports}",
    ZSet(
        "`uid:cid:message`, `uid:post:id`, `uid:member:uid` or `0:draft.uid.form:saved`",
        "unix ms when moderators see it",
    ),
    bound="REPORTS_MAX, the oldest go",
    doc="""The open reports of members, each subject once by each. Owners of groups see those of
    posts there first: their time is 48 hours later.""",
)

report_contents = SiteKey(
    "reports:{reports}:words",
    Hash("as in `reports`", "JSON"),
    bound="REPORTS_MAX open ones, and as many that are done",
    doc="""The reported content, as it was then: JSON with `category`, `reason`, `author` (uid),
    `texts`, `groups` (whose owners see it), `parent` (id) and `parent_author` (uid) of what a draft
    answers, `quoted` and `quoted_author` of what it quotes; `taken` (uid), who takes care of it;
    `done` (unix ms), `by` (uid) and `outcome`, the act that answered it.""",
)

report_queue = Key(
    "report_queue:{reports}:<name>",
    ZSet("as in `reports`", "unix ms, as there, or since when it is done"),
    bound="as `report_contents`",
    doc="""Further lists of reports: `open.<category>`, `done`, `done.<category>`, `taken.<uid>` of
    who takes care of them, `about.<uid>` of who wrote the reported content, `group.<gid>` for the
    owners of a group, by when they were reported.""",
)
