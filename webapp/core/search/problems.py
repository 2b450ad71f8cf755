"""The sentences that say which parts of a query were searched in another way."""

from flask_babel import lazy_gettext as _l

from .syntax import Problem

PROBLEMS = {
    "too_long": _l("That’s a long search. Only the first words were used."),
    "nothing": _l("“%(text)s” has no letters to search for."),
    "operator": _l("“%(text)s” isn’t a search operator, so we searched for it as words."),
    "value": _l("“%(text)s” doesn’t have a value we understand, so we searched for it as words."),
    "missing": _l("“%(text)s” needs a value right after it, such as from:ann, so we left it out."),
    "quote": _l("A quotation mark isn’t closed, so we searched for the words after it one by one."),
    "or": _l("OR can’t be used with “%(text)s”, so both have to match."),
}


def describe(problem: Problem) -> str:
    """Return the sentence of a part that was searched in another way."""
    return str(PROBLEMS[problem.reason]) % {"text": problem.text}
