"""The settings that make a site its operator's own. Each can be set from the environment too."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from math import inf
from unicodedata import category
from zlib import crc32

from .limits import Limits

DOCUMENTS = ("about", "terms", "privacy", "contact")
# A name is put into sentences, which are HTML and have placeholders.
NAME_PATTERN = re.compile(r"[^\s<>&\"%{}\\](?:[^<>&\"%{}\\\x00-\x1f\x7f]{0,38}[^\s<>&\"%{}\\])?\Z")
ACCENT_PATTERN = re.compile(r"(#[0-9a-fA-F]{6})?\Z")
CONTACT_PATTERN = re.compile(r"([^\s@<>:/]+@[^\s@<>:/]+|https://[!-~]+)?\Z")
ICON_PATTERN = re.compile(r"([0-9a-f]{32})?\Z")
CONTRAST_MIN = 4.5  # of text, by WCAG 2.2
TEXT_MAX = 20_000  # characters of a page
LINES = ("site_name", "site_description", "contact_email")
TIME_FORMAT = "%Y-%m-%d %H:%M"
# What public texts may not have, and who is kept out
WORD, DOMAIN, NETWORK = "word", "domain", "network"
# What happens to a text with a word or domain
REFUSE, REVIEW, HIDE, REPORT = "refuse", "review", "hide", "report"
# What a network may not do: each with those before it
SIGNUP, LOGIN, WRITE = "signup", "login", "write"


@dataclass(frozen=True, slots=True)
class Ban:
    """A word, domain or network that is not allowed. `value`: in the form that is compared.

    `action`: see REFUSE and SIGNUP. `until`, `at`: unix ms, 0 for no end. `by`: a username.
    """

    kind: str
    value: str
    action: str
    note: str = ""
    until: int = 0
    by: str = ""
    at: int = 0

    @property
    def name(self) -> str:
        """Return the name of its entry in the store."""
        return f"{self.kind}:{self.value}"

    @property
    def added(self) -> datetime:
        """Return when it was added."""
        return datetime.fromtimestamp(self.at / 1000, UTC)

    @property
    def end(self) -> datetime | None:
        """Return when it ends, None for never."""
        return datetime.fromtimestamp(self.until / 1000, UTC) if self.until else None

    def holds_at(self, now_ms: int) -> bool:
        """Return True if it has not ended."""
        return not self.until or self.until > now_ms


@dataclass(frozen=True, eq=False, slots=True)
class BanList:
    """All bans of a site. Two lists are equal if they are one, so comparing them takes no time."""

    bans: tuple[Ban, ...] = ()


NO_BANS = BanList()


# For a version of addresses, 4 or 6: the starts of ranges, ascending, in 4 or 16 bytes each; and
# their countries, in two letters each, two spaces for a gap.
CountryParts = Mapping[int, tuple[bytes, bytes]]


@dataclass(frozen=True, eq=False, slots=True)
class CountryTable:
    """The countries of networks. `licence`: in words. `date`: such as 2026-11-28, or ""."""

    id: str = ""
    licence: str = ""
    date: str = ""
    parts: CountryParts = field(default_factory=dict, repr=False)


NO_TABLE = CountryTable()
STORED = ("bans", "country_table")  # fields of the store: neither settings nor in the environment


@dataclass(frozen=True, slots=True)
class SiteSettings(Limits):
    """The site's name, words and looks, and whether it is open now."""

    site_name: str = "Linnet"
    site_description: str = ""  # one sentence; empty: Linnet's own
    accent: str = ""  # colour of links and buttons, #rrggbb; empty: Linnet's own
    icon: str = ""  # hash of its files (site_icons.py); empty: Linnet's own
    contact_email: str = ""  # where people write to: of mail, or an https:// page
    rules: str = ""  # one a line
    default_language: str = "en"  # en or zh, for readers whose browser asks for neither

    signup: str = "open"  # who may sign up: open, approval, invite (with a link) or closed
    inviters: str = "admins"  # who makes invitations: admins or members

    maintenance: bool = False  # answer 503 to everybody but admins
    read_only: bool = False  # refuse what anybody but admins writes

    announcement_en: str = ""  # a line above every page
    announcement_zh: str = ""
    announcement_until: str = ""  # UTC, such as 2026-12-01 18:00; empty: no end

    # The pages about the site, in Markdown; empty: those of files, or Linnet's own
    page_about_en: str = ""
    page_about_zh: str = ""
    page_terms_en: str = ""
    page_terms_zh: str = ""
    page_privacy_en: str = ""
    page_privacy_zh: str = ""
    page_contact_en: str = ""
    page_contact_zh: str = ""

    countries: bool = True  # count visitors by country, and warn of log-ins from a new one

    # Those of STORED
    bans: BanList = NO_BANS
    country_table: CountryTable = NO_TABLE

    @property
    def members_invite(self) -> bool:
        """Return True if members make invitations: admins always may."""
        return self.signup == "invite" and self.inviters == "members"

    @property
    def is_closed(self) -> bool:
        """Return True if only admins may write. Periodic jobs rest meanwhile."""
        return self.maintenance or self.read_only

    @property
    def rule_list(self) -> list[str]:
        """Return the rules, one text each."""
        return [line.strip() for line in self.rules.splitlines() if line.strip()]

    @property
    def announcement_id(self) -> str:
        """Return the id of the announcement, which another text changes."""
        texts = "\n".join((self.announcement_en, self.announcement_zh))
        return f"{crc32(texts.encode()):08x}"

    @property
    def announcement_end(self) -> float:
        """Return when the announcement ends, in unix seconds."""
        end = parse_time(self.announcement_until)
        return end.timestamp() if end else inf

    def announcement(self, language: str, now: float) -> str:
        """Return the announcement in a language, "" if there is none or it has ended.

        One that is written in one language only is shown in both. `now`: unix seconds.
        """
        own, other = self.announcement_en, self.announcement_zh
        if not own and not other:
            return ""
        if language == "zh":
            own, other = other, own
        return "" if self.announcement_end <= now else own or other


def N_(text: str) -> str:
    """Return a text that pages translate. The name puts it into the catalogue."""
    return text


def is_one_line(text: str) -> bool:
    """Return True if a text has neither line breaks nor control characters."""
    return all(one.isprintable() or category(one) == "Zs" for one in text)


def parse_time(text: str) -> datetime | None:
    """Parse a time in UTC; None for "". Raises ValueError."""
    return datetime.strptime(text, TIME_FORMAT).replace(tzinfo=UTC) if text else None


def contrast_with_white(colour: str) -> float:
    """Return how well a colour #rrggbb can be read on white: WCAG's ratio, 1 to 21."""
    shares = [int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5)]
    linear = [one / 12.92 if one <= 0.04045 else ((one + 0.055) / 1.055) ** 2.4 for one in shares]
    red, green, blue = linear
    return 1.05 / (0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05)


def site_problem(settings: SiteSettings) -> tuple[str, str] | None:
    """Return the name of a setting that cannot be used and what would do; None if all can."""
    for name in LINES:
        if not is_one_line(getattr(settings, name)):
            return name, N_("one line without control characters")
    if not NAME_PATTERN.match(settings.site_name):
        return "site_name", N_('1 to 40 characters without > < & " % { } or \\')
    if not ACCENT_PATTERN.match(settings.accent):
        return "accent", N_("a colour such as #0c6a62")
    if not CONTACT_PATTERN.match(settings.contact_email):
        return "contact_email", N_("an email address, or the address of an https:// page")
    if not ICON_PATTERN.match(settings.icon):
        return "icon", N_("an icon that was uploaded at /admin/icon")
    if settings.accent and contrast_with_white(settings.accent) < CONTRAST_MIN:
        return "accent", N_("a darker colour that can be read on white")
    try:
        parse_time(settings.announcement_until)
    except ValueError:
        return "announcement_until", N_("a time in UTC such as 2026-12-01 18:00")
    return None
