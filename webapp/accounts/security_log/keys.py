"""The keys of the security logs: a member's own, and the operator's."""

from webapp.core.store.schema import MemberKey, PartitionKey, Stream

security_log = MemberKey(
    "security_log",
    Stream("`kind`, `count`, `agent`"),
    private=True,
    bound="100, the newest",
    doc="""What happened to a member's account: a kind of `accounts/security_log/store.py`, how
    often in a row, and the browser's User-Agent.""",
)

security_entries = PartitionKey(
    "security_entries",
    Stream("`uid`, `kind`, `network?`, `what?`, `by?`"),
    bound="500, the newest, for 90 days",
    doc="""The operator's security log of the partition's members: as `security_log`, and the
    network. For rights and acts of moderators `what`, and the uid of who did it, `by`.""",
)

security_failures = PartitionKey(
    "security_failures",
    Stream("`uid`, `kind`, `network`, `count`"),
    bound="500, the newest, for 90 days",
    doc="""The failed log-ins in the operator's security log, apart: guessing pushes nothing else
    out. `count`: how many in a row. `uid` is empty for a name that nobody has.""",
)
