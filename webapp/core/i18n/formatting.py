"""Times and numbers in the language of the request, as filters of templates."""

import re
from collections.abc import Sequence
from datetime import UTC, date, datetime
from functools import lru_cache

from babel.dates import format_date, format_skeleton, format_time, get_datetime_format
from babel.lists import format_list
from babel.numbers import format_compact_decimal
from flask_babel import get_locale, gettext as _

# Styles of a time (CLDR skeletons).
TODAY_STYLE = "Hm"
THIS_YEAR_STYLE = "MMMd"
OLDER_STYLE = "yMMMd"
HAN_END = re.compile(r"[\u4e00-\u9fff](?:</\w+>)*\Z")  # markup may close after the character
HAN_AFTER_SPACE = re.compile(r" [\u4e00-\u9fff]")


def short_time(moment: datetime) -> str:
    """Return a past moment in a few characters: today's time (UTC), or the date.

    The same for every reader; the browser turns it into the reader's own time zone.
    """
    now, moment = datetime.now(UTC), moment.astimezone(UTC)
    if moment.date() == now.date():
        style = TODAY_STYLE
    else:
        style = THIS_YEAR_STYLE if moment.year == now.year else OLDER_STYLE
    return styled_time(moment, style)


def styled_time(moment: datetime, style: str) -> str:
    """Return a moment (UTC) in one of the styles that `short_time` chooses from."""
    text = _format_skeleton(_minute(moment), style, str(get_locale()))
    return f"{text} UTC" if style == TODAY_STYLE else text


def country_name(code: str) -> str:
    """Return the name of a country, given its two letters."""
    locale = get_locale()
    return str(locale.territories.get(code, code)) if locale else code


def language_name(code: str) -> str:
    """Return the name of a language, given its primary subtag."""
    locale = get_locale()
    return str(locale.languages.get(code, code)) if locale else code


def time_zone_name(name: str) -> str:
    """Return the name of a time zone, with the reader's word for its city where it is another."""
    locale, plain = get_locale(), name.replace("_", " ")
    city = locale.time_zones.get(name, {}).get("city", "") if locale else ""
    if not city or plain.endswith(city):
        return plain
    return str(_("%(name)s (%(city)s)", name=plain, city=city))


def iso_time(moment: datetime) -> str:
    """Return a moment for HTML's `datetime`."""
    return moment.isoformat(timespec="milliseconds")


def full_date(moment: datetime) -> str:
    """Return a moment in full: date, time and time zone."""
    return _full_date(_minute(moment), str(get_locale()))


def month_name(day: date) -> str:
    """Return the month of a day with its year, such as November 2026."""
    return str(format_skeleton("yMMMM", day, locale=get_locale()))


def weekday_name(day: date, width: str) -> str:
    """Return the name of a day of the week. `width`: `wide` or `narrow`."""
    return str(format_date(day, "EEEE" if width == "wide" else "EEEEE", get_locale()))


def format_number(number: int) -> str:
    """Return a count in a few characters, such as 1.2K."""
    digits = 1 if number >= 1000 else 0
    return format_compact_decimal(number, locale=get_locale(), fraction_digits=digits)


def name_list(names: Sequence[str]) -> str:
    """Return names as a list in a sentence, such as "Ann, Ben, and Cat"."""
    return format_list(names, locale=get_locale())


def fill_in_who(sentence: str, who: str) -> str:
    """Put names, which may be markup, in the place of %(who)s in a sentence, if it has one.

    Between two Chinese characters there is no space, as there is after a name in Latin letters.
    """
    before, place, after = str(sentence).partition("%(who)s")
    if not place:
        return before + who[:0]  # markup stays markup
    if HAN_END.search(who) and HAN_AFTER_SPACE.match(after):
        after = after[1:]
    return before + who + after


FILTERS = {
    one.__name__: one
    for one in (
        *(short_time, styled_time, iso_time, full_date, month_name, weekday_name),
        *(country_name, language_name, time_zone_name, format_number, name_list, fill_in_who),
    )
}


def _minute(moment: datetime) -> datetime:
    """Return the beginning of a moment's minute: shorter times are not shown."""
    return moment.replace(second=0, microsecond=0)


# Cached because a timeline shows everybody the same minutes, and Babel takes long over each.
@lru_cache(10_000)
def _full_date(moment: datetime, locale: str) -> str:
    moment = moment.astimezone(UTC)
    pattern = str(get_datetime_format("long", locale=locale)).replace("'", "")
    day, time = format_date(moment, "long", locale), format_time(moment, "short", locale=locale)
    text = f"{pattern.format(time, day)} UTC"
    # CLDR's narrow space is not Latin-1: with one, Python stores a page at two bytes a character.
    return text.replace("\u202f", " ")


@lru_cache(10_000)
def _format_skeleton(moment: datetime, skeleton: str, locale: str) -> str:
    return format_skeleton(skeleton, moment, locale=locale)
