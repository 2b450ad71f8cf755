"""The keys of moderation."""

from webapp.core.store.schema import Hash, MemberKey, PartitionKey, SiteKey, ZSet

acts = MemberKey(
    "acts",
    Hash("number, or `number:answer`, `number:appeal`, `number:reports`", "JSON, or ids"),
    bound="ACTS_MAX acts, the oldest go; those that were in force then stay",
    private=True,
    doc="""The acts of moderators on a member, and their notes: `kind`, `by` (uid), `at` (unix ms),
    `why`, `post` (id), `draft` (when it was saved), `text` (of either). `answer`: `by`, `at`,
    `granted`, 1 if the act was taken back. `appeal`: `at`, `text`. `reports`: those that it
    answered, `id@time`.""",
)

told_acts = MemberKey(
    "told_acts",
    ZSet("number, or `number:answer`", "unix ms"),
    bound="as `acts`",
    private=True,
    doc="The acts and answers of which the member is notified.",
)

answered_reports = MemberKey(
    "answered_reports",
    ZSet("`subject:outcome`, the subject as in `reports`", "unix ms"),
    bound="ANSWERED_MAX, the oldest go",
    private=True,
    doc="The reports of a member that moderators have dealt with: `done` or `kept`.",
)

ending_suspensions = PartitionKey(
    "ending_suspensions",
    ZSet("uid", "unix ms"),
    bound="no bound: one for each member whom moderators have suspended",
    doc="When accounts are deleted that moderators have suspended.",
)

log = SiteKey(
    "moderation:{reports}",
    ZSet("`uid.number` of an act, `uid.number.granted` or `kept` of its answer", "unix ms"),
    bound="a year",
    doc="The log of moderation: what was done, by whom, why.",
)

log_entries = SiteKey(
    "moderation:{reports}:entries",
    Hash("as in `moderation`", "JSON"),
    bound="as `moderation`",
    doc="Entries of the log: `kind`, `by`, `login` and `by_login`, `at`, `why`, `post`.",
)

waiting = SiteKey(
    "moderation:{reports}:sign_ups",
    ZSet("uid", "unix ms"),
    bound="no bound: one for each account that waits; LIMIT_SIGNUP slows them",
    doc="The accounts that wait for moderators, with SIGNUP=approval.",
)

appeals = SiteKey(
    "moderation:{reports}:appeals",
    ZSet("`uid.number` of an act", "unix ms"),
    bound="one for each act that stands, at most",
    doc="The appeals of members that wait for an answer.",
)
