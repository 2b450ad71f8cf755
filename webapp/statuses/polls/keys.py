"""The keys of polls."""

from webapp.core.store.schema import Hash, MemberKey, PartitionKey, StatusKey, String, ZSet

member_votes = MemberKey(
    "member_votes",
    Hash("status id", "bits"),
    bound="VOTED_MAX; at that, what is older than any poll lasts goes",
    doc="""What a member chose in polls: the truth about a vote, which is given once. Bits say which
    options, the first 1.""",
)

votes = StatusKey(
    "votes",
    Hash("uid", "bits, as in `member_votes`"),
    bound="no bound: as many as choose to vote; goes with the status",
    doc="""Who voted in a status's poll, projected from the members' own records. Nobody is shown
    it. A deleted account is taken out, and its vote stays counted.""",
)

tally_throttle = StatusKey(
    "tally_throttle",
    String(),
    bound="expires after a second",
    doc="Set for a second after open pages got a poll's new numbers.",
)

poll_deadlines = PartitionKey(
    "poll_deadlines",
    ZSet("status id", "when it ends, unix ms"),
    bound="one entry a poll that runs, a week long at most",
    doc="The polls of a partition that have not ended.",
)
