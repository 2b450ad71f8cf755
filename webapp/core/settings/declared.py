"""The settings that an admin changes while the site runs: their titles, groups and ranges."""

from dataclasses import dataclass
from typing import Any

from flask_babel import lazy_gettext as _l
from flask_babel.speaklater import LazyString

from webapp.config import CHOICES, BadSetting, Config, Rate, bad_setting, changed
from webapp.site_settings import TEXT_MAX, is_one_line

LINE_MAX = 500  # characters of a text of one line
NUMBER_MAX = 1_000_000
LONG: dict[str, Any] = {"rows": 8}
RATE_MAX = Rate(100_000, 86_400)


@dataclass(frozen=True, slots=True)
class LiveSetting:
    """A setting that may change. `minimum`, `maximum`: of a number."""

    name: str
    title: LazyString
    group: str = ""
    choices: tuple[str, ...] = ()
    rows: int = 1  # of the field of a text
    minimum: int = 1
    maximum: int = NUMBER_MAX

    @property
    def kind(self) -> str:
        """Return the kind of field: switch, choice, number or text."""
        default = Config.__dataclass_fields__[self.name].default
        if isinstance(default, bool):
            return "switch"
        if self.choices:
            return "choice"
        return "number" if isinstance(default, int) else "text"


GROUPS = {
    "site": _l("The site"),
    "open": _l("Open or closed"),
    "security": _l("Security"),
    "announcement": _l("Announcement"),
    "features": _l("Features"),
    "limits": _l("Limits"),
    "rates": _l("Rates: acts / seconds"),
    "pages": _l("Pages about the site (Markdown; the first line is the title)"),
}
ROWS: tuple[tuple[str, str, LazyString, dict[str, Any]], ...] = (
    ("site", "site_name", _l("Name of the site"), {}),
    ("site", "site_description", _l("Description, one sentence"), {}),
    ("site", "accent", _l("Colour of links and buttons, such as #0c6a62"), {}),
    ("site", "contact_email", _l("Contact address"), {}),
    ("site", "rules", _l("Rules, one a line"), {"rows": 5}),
    (
        *("site", "default_language", _l("Language for readers of other languages")),
        {"choices": CHOICES["default_language"]},
    ),
    ("icon", "icon", _l("Icon"), {}),
    ("open", "signup", _l("Who may sign up"), {"choices": CHOICES["signup"]}),
    ("open", "inviters", _l("Who may invite people"), {"choices": CHOICES["inviters"]}),
    ("open", "read_only", _l("Read-only: no one but admins can change anything"), {}),
    ("open", "maintenance", _l("Maintenance: only admins get in"), {}),
    ("security", "require_factors", _l("Moderators and admins need a second factor"), {}),
    ("announcement", "announcement_en", _l("Text in English"), {"rows": 2}),
    ("announcement", "announcement_zh", _l("Text in Chinese"), {"rows": 2}),
    ("announcement", "announcement_until", _l("Until, in UTC (2026-12-01 18:00)"), {}),
    ("features", "features", _l("Optional systems, with commas; or none"), {"rows": 2}),
    ("features", "access_log", _l("Write an access log, without network addresses"), {}),
    ("features", "countries", _l("Count visitors by country, warn of log-ins from a new one"), {}),
    ("features", "link_cards", _l("Cards of links"), {"choices": CHOICES["link_cards"]}),
    ("features", "show_views", _l("Who sees view counts"), {"choices": CHOICES["show_views"]}),
    ("features", "anonymous_sample", _l("Visitors may stream a sample of public posts"), {}),
    ("limits", "status_max", _l("Characters of a post"), {"maximum": 5_000}),
    ("limits", "edit_minutes", _l("Minutes in which a post may be edited"), {}),
    ("limits", "status_pictures_max", _l("Pictures of a post"), {"maximum": 4}),
    (
        *(
            "limits",
            "picture_megabytes_max",
            _l("Megabytes of a member’s pictures; 0: any number"),
        ),
        {"minimum": 0},
    ),
    ("limits", "pinned_max", _l("Pinned posts of a member"), {"maximum": 20}),
    ("limits", "following_max", _l("Follows of a member"), {"maximum": 20_000}),
    ("limits", "followed_tags_max", _l("Followed hashtags of a member"), {"maximum": 500}),
    ("limits", "lists_max", _l("Lists of a member"), {"maximum": 500}),
    ("limits", "folders_max", _l("Bookmark folders of a member"), {"maximum": 500}),
    ("limits", "invites_max", _l("Open invitations of a member"), {"maximum": 100}),
    ("limits", "drafts_max", _l("Drafts of a member"), {"maximum": 1_000}),
    ("limits", "chats_max", _l("Chats of a member"), {"maximum": 5_000}),
    ("limits", "chat_members_max", _l("Members of a chat"), {"maximum": 5_000}),
    ("limits", "groups_max", _l("Groups of a member"), {"maximum": 1_000}),
    ("limits", "group_vote_seconds", _l("Seconds a vote adds in Top"), {"maximum": 86_400}),
    ("rates", "limit_signup", _l("Sign-ups from one address"), {}),
    ("rates", "limit_signin_address", _l("Sign-ins from one address"), {}),
    ("rates", "limit_post", _l("Posts of a member"), {}),
    ("rates", "limit_follow", _l("Follows of a member in a time"), {}),
    ("rates", "limit_like", _l("Likes, boosts and bookmarks"), {}),
    ("rates", "limit_chat", _l("Chat messages"), {}),
    ("rates", "limit_pictures", _l("Posts and messages with pictures"), {}),
    ("rates", "limit_search", _l("Searches"), {}),
    ("rates", "limit_edit", _l("Changes to a profile or settings"), {}),
    ("rates", "limit_group", _l("New groups and invitations"), {}),
    ("rates", "limit_api", _l("Calls of the client API"), {}),
    ("pages", "page_about_en", _l("About, in English"), LONG),
    ("pages", "page_about_zh", _l("About, in Chinese"), LONG),
    ("pages", "page_terms_en", _l("Terms, in English"), LONG),
    ("pages", "page_terms_zh", _l("Terms, in Chinese"), LONG),
    ("pages", "page_privacy_en", _l("Privacy, in English"), LONG),
    ("pages", "page_privacy_zh", _l("Privacy, in Chinese"), LONG),
    ("pages", "page_contact_en", _l("Contact, in English"), LONG),
    ("pages", "page_contact_zh", _l("Contact, in Chinese"), LONG),
)
SETTINGS = tuple(LiveSetting(name, title, group, **more) for group, name, title, more in ROWS)
BY_NAME = {setting.name: setting for setting in SETTINGS}


def as_text(value: Any) -> str:
    """Return a value as it is written in the environment."""
    return ("no", "yes")[value] if isinstance(value, bool) else str(value)


def live_setting(name: str) -> LiveSetting:
    """Return the setting of a name, in either case. Raises BadSetting if it is none of these."""
    if setting := BY_NAME.get(name.lower()):
        return setting
    raise BadSetting(
        f"{name.upper()} is no setting that changes while the site runs."
        " All that do: linnet config get"
    )


def parse_change(config: Config, name: str, text: str) -> str:
    """Return the text to store for a setting, as the environment would hold it.

    Raises BadSetting for an unknown name, and for a value that cannot be used.
    """
    setting = live_setting(name)
    text = text.replace("\r\n", "\n").strip()
    length_max = TEXT_MAX if setting.rows > 1 else LINE_MAX
    lines = text.split("\n") if setting.rows > 1 else [text]
    if len(text) > length_max or not all(map(is_one_line, lines)):
        shape = "" if setting.rows > 1 else " in one line"
        raise BadSetting(f"{name.upper()} has at most {length_max:,} printable characters{shape}.")
    value = getattr(changed(config, {name: text}), name)
    if type(value) is int and not setting.minimum <= value <= setting.maximum:
        raise bad_setting(name, value, f"{setting.minimum:,}–{setting.maximum:,}")
    if isinstance(value, Rate) and (value.burst > RATE_MAX.burst or value.period > RATE_MAX.period):
        raise bad_setting(name, value, str(RATE_MAX))
    return as_text(value)
