"""The language of popular posts: the reader's own, or the one that the address asks for."""

import re
from collections.abc import Sequence

from flask import request

from webapp.core.errors import Invalid
from webapp.core.i18n import preferences
from webapp.core.i18n.formatting import language_name

ALL = "all"  # asks for posts in every language
LANGUAGE_PATTERN = re.compile(r"[a-z]{2,3}")
LANGUAGES_MAX = 12  # of the choice


def own() -> str:
    """Return the primary subtag of the reader's language."""
    return preferences.language().code


def asked() -> str:
    """Return the language that the address asks for: "" for none, ALL for all. Raises Invalid."""
    language = request.args.get("lang", "")
    if language and not LANGUAGE_PATTERN.fullmatch(language):
        raise Invalid("bad_language")
    return language


def wanted() -> str:
    """Return the language whose popular posts are read first, "" for all. Raises Invalid."""
    language = asked() or own()
    return "" if language == ALL else language


def named(codes: Sequence[str]) -> list[tuple[str, str]]:
    """Return the code and the name of the languages to choose from, the reader's own first."""
    first = sorted(codes, key=lambda code: code != own())[:LANGUAGES_MAX]
    return [(code, language_name(code)) for code in first]
