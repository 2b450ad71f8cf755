"""The sentences for bans, on their pages and in the log of moderation."""

from flask_babel import lazy_gettext as _l

from webapp.site_settings import (
    DOMAIN,
    HIDE,
    LOGIN,
    NETWORK,
    REFUSE,
    REPORT,
    REVIEW,
    SIGNUP,
    WORD,
    WRITE,
)

KINDS = {WORD: _l("Word or phrase"), DOMAIN: _l("Domain, with all below it")}
TEXT_ACTIONS = {
    REFUSE: _l("Refuse the text"),
    REVIEW: _l("Hold posts with it until a moderator has reviewed them"),
    HIDE: _l("Keep posts with it off public pages, and report it to moderators"),
    REPORT: _l("Allow it, and report it to moderators"),
}
NETWORK_ACTIONS = {
    SIGNUP: _l("No sign-ups"),
    LOGIN: _l("No sign-ups and no log-ins"),
    WRITE: _l("No writing at all"),
}
ADDED, REMOVED = "ban_added", "ban_removed"
LOGGED = {
    ADDED: _l("added a restriction:"),
    REMOVED: _l("removed a restriction:"),
    f"{WORD}.{REFUSE}": _l("a word, refused"),
    f"{WORD}.{REVIEW}": _l("a word, reviewed before it is published"),
    f"{WORD}.{HIDE}": _l("a word, kept off public pages"),
    f"{WORD}.{REPORT}": _l("a word, reported"),
    f"{DOMAIN}.{REFUSE}": _l("a domain, refused"),
    f"{DOMAIN}.{REVIEW}": _l("a domain, reviewed before it is published"),
    f"{DOMAIN}.{HIDE}": _l("a domain, kept off public pages"),
    f"{DOMAIN}.{REPORT}": _l("a domain, reported"),
    f"{NETWORK}.{SIGNUP}": _l("a network, its sign-ups"),
    f"{NETWORK}.{LOGIN}": _l("a network, its sign-ups and log-ins"),
    f"{NETWORK}.{WRITE}": _l("a network, all that it writes"),
}
HOUR, DAY = 3_600, 86_400
LASTING = {  # seconds, 0 for no end
    "always": (0, _l("Until someone removes it")),
    "hour": (HOUR, _l("One hour")),
    "day": (DAY, _l("One day")),
    "week": (7 * DAY, _l("One week")),
    "month": (30 * DAY, _l("30 days")),
    "year": (365 * DAY, _l("One year")),
}
