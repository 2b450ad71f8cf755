"""The part of a post's form that says where it is written."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from flask_babel import gettext as _
from flask_babel import lazy_gettext as _l
from wtforms import StringField
from wtforms.validators import ValidationError

from ..forms import Part, line
from ..text import clean_line
from .places import Place

DEGREES = re.compile(r"[+-]?[0-9]{1,3}(?:\.[0-9]{0,20})?\Z")
NORTH, EAST = 90, 180  # degrees at most, either way
PLACE_MAX: Final = 100  # characters of a place's name
ONCE = {"autocomplete": "off"}  # where somebody is, is said each time anew: no browser fills it in


class PlaceForm(Part):
    """The fields of a place, of which none need be filled in. Once valid, `where` is the place, if they give one."""

    LEFT = dict.fromkeys(("lat", "long", "place"), "")

    lat = StringField(_l("Latitude"), render_kw={**ONCE, "inputmode": "text", "placeholder": "31.2304"})
    long = StringField(_l("Longitude"), render_kw={**ONCE, "inputmode": "text", "placeholder": "121.4737"})
    place = StringField(_l("Name of the place"), render_kw=ONCE)
    where: Place | None = None

    def validate_lat(self, field: StringField) -> None:
        """Degrees, where there is anything of a place."""
        self._degrees(field, NORTH, _l("A latitude is a number of degrees from -90 to 90, such as 31.2304."))

    def validate_long(self, field: StringField) -> None:
        """Degrees, as above."""
        self._degrees(field, EAST, _l("A longitude is a number of degrees from -180 to 180, such as 121.4737."))

    def validate_place(self, field: StringField) -> None:
        """One line; it need not show anything. Comes last: a place is made once all of it is right."""
        field.data = line(field.data, PLACE_MAX)
        if self.lat.data and self.long.data and not (self.lat.errors or self.long.errors):
            self.where = Place(float(self.lat.data), float(self.long.data), field.data)

    def _degrees(self, field: StringField, most: int, sentence: Any) -> None:
        given = field.data = _read(field.data or "")
        if not any((part.data or "").strip() for part in (self.lat, self.long, self.place)):
            return
        if not given:
            raise ValidationError(_("A place takes both a latitude and a longitude. Or leave all of it empty."))
        if not _is_within(given, most):
            raise ValidationError(str(sentence))


def of_fields(fields: Mapping[str, str]) -> Place | None:
    """The place in fields that were kept. Raises ValueError, Unacceptable where they give none that could be posted."""
    lat, long = (_read(fields.get(name, "")) for name in ("lat", "long"))
    if not lat or not long:
        return None
    if not _is_within(lat, NORTH) or not _is_within(long, EAST):
        raise ValueError(lat, long)
    return Place(float(lat), float(long), clean_line(fields.get("place", ""), PLACE_MAX))


def _read(written: str) -> str:
    return written.strip().replace(",", ".").replace("−", "-")


def _is_within(degrees: str, most: int) -> bool:
    return bool(DEGREES.match(degrees)) and abs(float(degrees)) <= most
