"""The keys of onboarding."""

from webapp.core.store.schema import Key, ZSet

topics = Key(
    "topics:<language>",
    ZSet("folded name of a hashtag", "its rank, the most used first"),
    bound="12, twice as many if two visits make it together; expires after a day",
    doc="""The hashtags that most authors of the newest public posts use, for the first steps: those
    of posts in the language of the page first.""",
)
