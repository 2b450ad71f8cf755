"""Cleaning names and descriptions: control and direction characters are left out."""

import unicodedata

from . import rules
from .parser import MAX_CODE_POINTS, Unacceptable, compact, is_blank, normalize


def clean_name(raw: str, limit: int) -> str:
    """Return the name of a member, group, list, app or token: a line that draws something.

    Raises Unacceptable: "empty" if nothing visible is left, "too_long" over `limit` code points,
    "handle" if it looks like a username, such as "@ admin".
    """
    name = clean_line(raw, limit)
    if not name:
        raise Unacceptable("empty")
    visible = rules.NOT_SEEN.sub("", unicodedata.normalize("NFKC", name))
    if rules.LIKE_A_HANDLE.search(visible):
        raise Unacceptable("handle")
    return name


def clean_line(raw: str, limit: int) -> str:
    """Return a line, perhaps an empty one, in NFC, with white space folded to single spaces.

    Raises Unacceptable "too_long" over `limit` code points.
    """
    if len(raw) > MAX_CODE_POINTS:
        raise Unacceptable("too_long", len(raw))
    line = " ".join(normalize(rules.NOT_IN_NAME.sub("", raw)).split())
    if is_blank(line):
        return ""
    if len(line) > limit:
        raise Unacceptable("too_long", len(line))
    return line


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
