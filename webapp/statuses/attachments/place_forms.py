"""The part of a post's form with its location."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from flask_babel import gettext as _
from flask_babel import lazy_gettext as _l
from wtforms import StringField
from wtforms.validators import ValidationError

from webapp.core.forms.fields import LazySubform, normalize_line
from webapp.core.text.cleaning import clean_line

from .places import Place

DEGREES = re.compile(r"[+-]?[0-9]{1,3}(?:\.[0-9]{0,20})?\Z")
LATITUDE_MAX, LONGITUDE_MAX = 90, 180  # degrees at most, either way
PLACE_NAME_MAX: Final = 100  # characters of a place's name
NO_AUTOFILL = {
    "autocomplete": "off"
}  # where somebody is, is said each time anew: no browser fills it in


class PlaceForm(LazySubform):
    """The fields of a location, all optional. Once valid, `parsed_place` holds it, if any."""

    UNTOUCHED = dict.fromkeys(("lat", "long", "place"), "")

    lat = StringField(
        _l("Latitude"), render_kw={**NO_AUTOFILL, "inputmode": "text", "placeholder": "31.2304"}
    )
    long = StringField(
        _l("Longitude"), render_kw={**NO_AUTOFILL, "inputmode": "text", "placeholder": "121.4737"}
    )
    place = StringField(_l("Name of the place"), render_kw=NO_AUTOFILL)
    parsed_place: Place | None = None

    def validate_lat(self, field: StringField) -> None:
        """Require degrees if any field is filled in."""
        self._validate_degrees(
            field,
            LATITUDE_MAX,
            _l("A latitude is a number of degrees from -90 to 90, such as 31.2304."),
        )

    def validate_long(self, field: StringField) -> None:
        """Require degrees, as for the latitude."""
        self._validate_degrees(
            field,
            LONGITUDE_MAX,
            _l("A longitude is a number of degrees from -180 to 180, such as 121.4737."),
        )

    def validate_place(self, field: StringField) -> None:
        """Normalize the name, which may be empty, and build the place. This field comes last."""
        field.data = normalize_line(field.data, PLACE_NAME_MAX)
        if self.lat.data and self.long.data and not (self.lat.errors or self.long.errors):
            self.parsed_place = Place(float(self.lat.data), float(self.long.data), field.data)

    def _validate_degrees(self, field: StringField, limit: int, message: Any) -> None:
        degrees = field.data = _normalize_degrees(field.data or "")
        if not any((part.data or "").strip() for part in (self.lat, self.long, self.place)):
            return
        if not degrees:
            raise ValidationError(
                _("Enter both a latitude and a longitude, or leave everything empty.")
            )
        if not _is_within(degrees, limit):
            raise ValidationError(str(message))


def place_from_fields(fields: Mapping[str, str]) -> Place | None:
    """Parse the place of a draft's fields. Raises ValueError or Unacceptable if it is not valid."""
    lat, long = (_normalize_degrees(fields.get(name, "")) for name in ("lat", "long"))
    if not lat or not long:
        return None
    if not _is_within(lat, LATITUDE_MAX) or not _is_within(long, LONGITUDE_MAX):
        raise ValueError(lat, long)
    return Place(float(lat), float(long), clean_line(fields.get("place", ""), PLACE_NAME_MAX))


def _normalize_degrees(raw: str) -> str:
    return raw.strip().replace(",", ".").replace("−", "-")


def _is_within(degrees: str, limit: int) -> bool:
    return bool(DEGREES.match(degrees)) and abs(float(degrees)) <= limit
