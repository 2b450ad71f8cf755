"""The keys of rate limits."""

from __future__ import annotations

from webapp.core.store.schema import Key, MemberKey, String

member_limit = MemberKey(
    "limit",
    String("unix microseconds"),
    facets="<act>",
    bound="expires when empty",
    doc="The same for a member, in the partition of the scripts that count what the member does.",
)


def _rate_limit(act: str, subject: str) -> str:
    return member_limit(int(subject), act) if subject.isdecimal() else f"limit:{{{subject}}}:{act}"


rate_limit = Key(
    "limit:{<who>}:<act>",
    String("unix microseconds"),
    build=_rate_limit,
    bound="expires when empty",
    doc="A rate limit's leaky bucket (GCRA): the time at which it is empty again.",
)
