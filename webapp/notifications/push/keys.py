"""The keys of web push."""

from webapp.core.store.schema import Hash, MemberKey, PartitionKey, ZSet

push_devices = MemberKey(
    "push_devices",
    ZSet(
        "sha of the session or the token",
        "when it was added, unix ms, each later than the one before",
    ),
    bound="PUSH_DEVICES_MAX, the oldest goes",
    doc="The devices that get a member's notifications: browsers of sessions, apps of tokens.",
)

push_device = MemberKey(
    "push_device",
    Hash(),
    facets="<sha>",
    bound="as `push_devices`",
    doc="""A device: `subscription` (JSON sealed with SECRET_KEY), `site` (address of the pages),
    `locale`, `added` and `delivered` (unix ms), `error` (of the last try), `refusals` (in a row).
    Of each lane: `<lane>:seen` (unix µs of the newest notification that it had), `<lane>:until`
    (unix ms: nothing before), `<lane>:tries` (failed ones in a row), `<lane>:hour` (since 1970) and
    `<lane>:sent` (messages tried in it). An app's has `alerts` (types), `policy` and `kinds` (of
    notifications, with blanks around each), and its token sealed in `subscription`. It goes with
    its session or token.""",
)

due_pushes = PartitionKey(
    "due_pushes",
    ZSet("`uid:sha:lane`", "unix ms"),
    bound="three a device",
    doc="""The devices of the partition that have something to get, by when it is due, or the lease
    of the worker that sends it runs out. Their messages come from `notifications`.""",
)
