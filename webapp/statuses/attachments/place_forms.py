"""The part of a post's form with its location."""

import re
from collections.abc import Mapping
from contextlib import suppress
from typing import Final

from flask_babel import gettext as _, lazy_gettext as _l
from wtforms import StringField
from wtforms.validators import ValidationError

from webapp.core.forms.fields import LazySubform, normalize_line
from webapp.core.text.cleaning import clean_line
from webapp.statuses.values.places import Place

DEGREES = re.compile(r"[+-]?[0-9]{1,3}(?:\.[0-9]{0,20})?\Z")
LATITUDE_MAX, LONGITUDE_MAX = 90, 180  # degrees at most, either way
PLACE_NAME_MAX: Final = 100  # characters of a place's name
# Members say each time where they are: browsers must not fill it in.
NO_AUTOFILL = {"autocomplete": "off"}


class PlaceForm(LazySubform):
    """A place by its name, by the coordinates of a device, or by both. All fields are optional.

    Nobody types coordinates: a script asks the device, or a program sends them. Coordinates count
    if both are given. Once valid, `parsed_place` holds the place, if any.
    """

    UNTOUCHED = dict.fromkeys(("lat", "long", "place"), "")

    lat = StringField()
    long = StringField()
    place = StringField(_l("Name of the place"), render_kw=NO_AUTOFILL)
    parsed_place: Place | None = None

    @property
    def point(self) -> str:
        """Return the coordinates as members read them, "" without any."""
        with suppress(ValueError):
            if point := _parse_point(self.lat.data, self.long.data):
                return f"{point[0]:.2f}, {point[1]:.2f}"
        return ""

    def validate_place(self, field: StringField) -> None:
        """Normalize the name, and build the place."""
        field.data = normalize_line(field.data, PLACE_NAME_MAX)
        try:
            point = _parse_point(self.lat.data, self.long.data)
        except ValueError:
            self.lat.data = self.long.data = ""
            raise ValidationError(
                _("We couldn’t use that location. Choose it again, or type a place.")
            ) from None
        self.parsed_place = _build_place(point, field.data)


def place_from_fields(fields: Mapping[str, str]) -> Place | None:
    """Parse the place of a draft's fields. Raises ValueError or Unacceptable if it is not valid."""
    point = _parse_point(fields.get("lat"), fields.get("long"))
    return _build_place(point, clean_line(fields.get("place", ""), PLACE_NAME_MAX))


def _build_place(point: tuple[float, float] | None, name: str) -> Place | None:
    if point:
        return Place(*point, name)
    return Place(name=name) if name else None


def _parse_point(raw_lat: str | None, raw_long: str | None) -> tuple[float, float] | None:
    """Return latitude and longitude, None unless both are given. Raises ValueError."""
    lat, long = _normalize_degrees(raw_lat or ""), _normalize_degrees(raw_long or "")
    if not lat or not long:
        return None
    if not _is_within(lat, LATITUDE_MAX) or not _is_within(long, LONGITUDE_MAX):
        raise ValueError(lat, long)
    return float(lat), float(long)


def _normalize_degrees(raw: str) -> str:
    return raw.strip().replace(",", ".").replace("−", "-")


def _is_within(degrees: str, limit: int) -> bool:
    return bool(DEGREES.match(degrees)) and abs(float(degrees)) <= limit
