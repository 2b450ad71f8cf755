"""The keys of points, check-ins and boards."""

from webapp.core.store.schema import Hash, Key, MemberKey, PartitionKey, Stream, String, ZSet

BOARD_SHARDS = 16

points = MemberKey(
    "points",
    String("(number)"),
    bound="one value",
    doc="A member's points: the sum of the ledger. Deleted with the account, after they are burnt.",
)

ledger = MemberKey(
    "ledger",
    Stream("`amount`, `reason`, `reference`, `balance` (after it), `note`"),
    private=True,
    bound="the newest 10,000; the oldest one's balance less its amount is the sum of those before",
    doc="Every change of a member's points. An entry's id is its time, unix µs, made unique.",
)

ledger_done = MemberKey(
    "ledger_done",
    ZSet("reference", "its entry's id; minus the time (unix µs) if it is refused for good"),
    private=True,
    bound="90 days: no chain lives longer",
    doc="The references that are answered, so that each is booked once and answered alike.",
)

points_totals = PartitionKey(
    "points_totals",
    Hash("reason", "points"),
    bound="one field a reason",
    doc="The sums of all ledgers of the partition by reason. Those of deleted members are `burnt`.",
)

check_in = MemberKey(
    "check_in",
    Hash(),
    private=True,
    bound="eight fields",
    doc="""A member's check-ins: `last` (a day of the member's calendar, in days since 1970; it
    only grows), `streak` (days in a row that end there), `longest`, `repaired` (the month of
    the last repair, year × 12 + month), `zone` (time zone; UTC if missing), `zone_changed`
    (unix seconds), `hidden` = 1 if boards leave the member out, `badge_hidden` = 1 if the
    profile shows no badge.""",
)

check_ins = MemberKey(
    "check_ins",
    String("bits: the days of the year, the first day first"),
    facets="<year>",
    bound="46 bytes a year; goes with the account",
    doc="The days of a year on which a member checked in: the truth about streaks.",
)

earned = MemberKey(
    "earned",
    Hash("week (since 1970, from Monday), or `all`", "score"),
    private=True,
    bound="three fields",
    doc="""The scores of a member on the boards: the points earned by checking in × 2^26, and 2^26
    less the minute (since 1970) of the last: the earlier of two with equal points is ahead.""",
)

board = Key(
    "board:{boards-<n>}:<when>",
    ZSet("uid", "score, as in `earned`"),
    fold=lambda shard: shard % BOARD_SHARDS,
    bound="BOARD_MAX / 16; a week's board expires 15 days after its first entry",
    doc="The members of a shard (uid % 16) by the points that they earned in a week, or in `all`.",
)
