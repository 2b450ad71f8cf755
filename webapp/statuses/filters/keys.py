"""The keys of word filters."""

from webapp.core.store.schema import Hash, MemberKey

filters = MemberKey(
    "filters",
    Hash(
        "number",
        (
            "JSON: [words or phrases, one a line, whether they are whole words, the places "
            "where, until when (unix seconds, 0 for good), whether to hide; if an app has chosen "
            "these, a title, phrases for which the opposite holds as to whole words, and phrases "
            "that it has changed with the numbers that it knows them by]"
        ),
    ),
    private=True,
    bound="FILTERS_MAX",
    doc="Words that a member does not want to read.",
)
