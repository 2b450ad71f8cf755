"""Scopes: what a member allows an app to do."""

from collections.abc import Iterable

READ = (
    "accounts blocks bookmarks favourites filters follows lists mutes notifications search statuses"
).split()
WRITE = (
    "accounts blocks bookmarks conversations favourites filters follows lists media mutes "
    "notifications reports statuses"
).split()
FOLLOW = {f"{act}:{what}" for act in ("read", "write") for what in ("blocks", "follows", "mutes")}
SCOPES = frozenset(
    {"read", "write", "follow", "push", "profile"}
    | {f"read:{name}" for name in READ}
    | {f"write:{name}" for name in WRITE}
)
DEFAULT = "read"


def parse(text: str) -> tuple[str, ...] | None:
    """Return the scopes of a text, each once; None if it names one that nobody can have."""
    scopes = tuple(dict.fromkeys(text.replace("+", " ").split())) or (DEFAULT,)
    return scopes if SCOPES.issuperset(scopes) else None


def allows(granted: Iterable[str] | None, needed: str) -> bool:
    """Return True if granted scopes include one that an endpoint needs ("": any token).

    `granted`: None for all.
    """
    if granted is None:
        return True
    scopes = set(granted)
    if not needed or needed in scopes or needed.partition(":")[0] in scopes:
        return True
    if needed == "read:me":
        return bool(scopes & {"read:accounts", "profile"})
    return "follow" in scopes and needed in FOLLOW


def are_within(scopes: Iterable[str], registered: Iterable[str]) -> bool:
    """Return True if an app that registered some scopes may ask for others."""
    held = set(registered)
    return all(allows(held, scope) for scope in scopes)
