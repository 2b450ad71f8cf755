"""The keys of rate limits."""

from __future__ import annotations

from webapp.core.store.schema import Key, String


def _rate_limit(act: str, subject: str) -> str:
    return f"limit:{{{subject}}}:{act}"


rate_limit = Key(
    "limit:{<who>}:<act>",
    String("unix microseconds"),
    build=_rate_limit,
    bound="expires when empty",
    doc="A rate limit's leaky bucket (GCRA): the time at which it is empty again.",
)
