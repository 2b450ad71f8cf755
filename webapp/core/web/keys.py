"""The keys of rate limits."""

from webapp.core.store.schema import Key, MemberKey, String

member_limit = MemberKey(
    "limit",
    String("unix microseconds"),
    facets="<act>",
    bound="expires when empty",
    doc="As `limit:{<who>}:<act>`, for a member: in the partition of scripts that count the act.",
)


def _rate_limit(act: str, subject: str) -> str:
    is_uid = subject.isdecimal() and subject[0] != "0"  # the login "007" is not the login "7"
    return member_limit(int(subject), act) if is_uid else f"limit:{{{subject}}}:{act}"


rate_limit = Key(
    "limit:{<who>}:<act>",
    String("unix microseconds"),
    build=_rate_limit,
    bound="expires when empty",
    doc="A rate limit's leaky bucket (GCRA): the time at which it is empty again.",
)
