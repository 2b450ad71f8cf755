"""Cleaning names and descriptions: control and direction characters are left out."""

from __future__ import annotations

from . import rules
from .parser import MAX_CODE_POINTS, Unacceptable, compact, is_blank, normalize


def clean_name(raw: str, limit: int) -> str:
    """Return a line such as a display name, in NFC, with white space folded to single spaces.

    Raises Unacceptable: "empty" if nothing visible is left, "too_long" over `limit` code points.
    """
    if len(raw) > MAX_CODE_POINTS:
        raise Unacceptable("too_long", len(raw))
    name = " ".join(normalize(rules.NOT_IN_NAME.sub("", raw)).split())
    if is_blank(name):
        raise Unacceptable("empty")
    if len(name) > limit:
        raise Unacceptable("too_long", len(name))
    return name


def clean_line(raw: str, limit: int) -> str:
    """Return a line that may be empty. Raises Unacceptable "too_long" over `limit` code points."""
    try:
        return clean_name(raw, limit)
    except Unacceptable as error:
        if error.reason == "empty":
            return ""
        raise


def clean_bio(raw: str, limit: int) -> str:
    """Return a few lines, perhaps none, in NFC, with no two empty ones in a row.

    Raises Unacceptable "too_long" over `limit` code points.
    """
    if len(raw) > MAX_CODE_POINTS:
        raise Unacceptable("too_long", len(raw))
    lines = normalize(rules.NOT_IN_NAME.sub("", raw)).split("\n")
    bio = compact("\n".join(" ".join(line.split()) for line in lines))
    if len(bio) > limit:
        raise Unacceptable("too_long", len(bio))
    return "" if is_blank(bio) else bio
