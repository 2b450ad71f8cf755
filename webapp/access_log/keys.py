"""The keys of the access log: together, so that one script moves a block and its counts."""

from webapp.core.store.schema import Hash, Key, SiteKey, Stream

blocks = SiteKey(
    "access_log:{access}:blocks",
    Stream("`day`, `text`"),
    bound="FILES_MAX bytes",
    doc="Blocks of lines that wait for a worker, 128 KB each at most.",
)

progress = SiteKey(
    "access_log:{access}:progress",
    Hash("`waiting`, the name of a process's file, or `host:day`", "bytes"),
    bound="a field for each file that waits, and 30 days of each machine with workers",
    doc="""Bytes of the blocks that wait; of a file that were sent; and of a day's file whose lines
    are counted: it is cut to that before more is written.""",
)

day_counts = Key(
    "access_log:{access}:day:<day>",
    Hash(
        "`lines`, `dropped`, `unreadable`, `2xx` and so on, `country:DE`, `member`, `visitor`",
        "number",
    ),
    bound="some 300 fields; expires after 400 days",
    doc="What the lines of a day add up to.",
)
