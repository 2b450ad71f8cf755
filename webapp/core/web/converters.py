"""Parts of paths that views get parsed. A part that cannot exist is a 404 page, without a trip.

`<id:status_id>` gives an int, `<login:login>` the text of a login, in any case.
"""

from flask import Flask
from werkzeug.routing import BaseConverter, ValidationError

from webapp.core.store import parse_id


class IdConverter(BaseConverter):
    """An id of 53 bits (status, member, message) in plain digits, without leading zeros."""

    regex = "[1-9][0-9]{0,15}"

    def to_python(self, value: str) -> int:
        """Return the id. Raises ValidationError if it has more than 53 bits."""
        parsed = parse_id(value)
        if parsed is None:
            raise ValidationError()
        return parsed


class LoginConverter(BaseConverter):
    """A login that an account can have."""

    regex = "[A-Za-z0-9_]{1,15}"


def init(app: Flask) -> None:
    """Register the converters. Comes before the views that use them."""
    app.url_map.converters.update(id=IdConverter, login=LoginConverter)
