"""The keys of promotions: the truth in the partition of the post, and an index for the site."""

from webapp.core.store.schema import Hash, MemberKey, PartitionKey, SiteKey, StatusKey, String, ZSet

promotion = StatusKey(
    "promotion",
    Hash(),
    bound="one of a post; expires 90 days after it ends",
    doc="""The promotion of a post: `uid`, `state` (`waiting`, `running`, `paused`, `ended`),
    `refused` (why it was ended, if moderators did), `run` (when it was started, unix ms), `words`
    (with blanks; hashtags have their sign), `language` (of readers, empty for all), `kind` (what
    costs: `views`, `clicks`, `actions`), `price` (points for 1,000 views, for a click or for an
    action), `budget` (points), `days`, `version` (of the post that is shown), `from` and `until`
    (unix ms, once it runs), `spent` (thousandths of points), `views`, `clicks`, `actions`, `open` =
    1 while the budget allows another view.""",
)

promotion_words = StatusKey(
    "promotion_words",
    Hash("`views:`, `clicks:` or `actions:`, and a word", "count"),
    bound="36 fields; expires with the promotion",
    doc="What each word of a promotion brought. `*` stands for no word.",
)

promotion_days = StatusKey(
    "promotion_days",
    Hash("`views:`, `clicks:`, `actions:` or `spent:`, and a day (since 1970)", "count"),
    bound="four fields a day; expires with the promotion",
    doc="What each day of a promotion brought, and what it cost in thousandths of points.",
)

promotion_showing = StatusKey(
    "promotion_showing",
    String("`charge word`, then a line for each click and action"),
    facets="<viewer>",
    bound="expires 15 minutes after the view",
    doc="""A view of a promoted post, so that a click and an action count once. `viewer`: a keyed
    hash of the uid and the post.""",
)

promotions = MemberKey(
    "promotions",
    ZSet("post", "when it was promoted last, unix ms"),
    bound="100, the newest",
    doc="The posts that a member promoted.",
)

running_promotions = PartitionKey(
    "running_promotions",
    ZSet("post", "uid"),
    bound="20 a member",
    doc="The promotions of the partition that have not ended. A job looks after them.",
)

promotion_choices = MemberKey(
    "promotion_choices",
    ZSet("post, or `off`", "when it was hidden, unix ms"),
    private=True,
    bound="200, the newest",
    doc="The promoted posts that a member has hidden, and whether the member wants to see none.",
)

promotion_rows = SiteKey(
    "{promotions}:rows",
    Hash("post", "its promotion with its counts, as JSON"),
    bound="PROMOTIONS_MAX, and those that members start before the index has them",
    doc="The index of promotions that have not ended. Each web process keeps a copy.",
)

waiting_promotions = SiteKey(
    "{promotions}:waiting",
    ZSet("post", "its id"),
    bound="those of `{promotions}:rows`",
    doc="The promotions that wait for a review.",
)

promotion_changes = SiteKey(
    "{promotions}:changes",
    ZSet("post", "the number of its last change"),
    bound="those of `{promotions}:rows`, and 1,000 that are gone",
    doc="When each row changed, so that a process reads only what is new to it.",
)
