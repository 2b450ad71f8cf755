"""Profiles as a form saves them."""

import io
from typing import Any

from flask.testing import FlaskClient
from PIL import Image


def picture(size: tuple[int, int] = (300, 200), format_: str = "PNG") -> io.BytesIO:
    """Return a picture as a file."""
    data = io.BytesIO()
    Image.new("RGB", size, "#b45").save(data, format_)
    data.seek(0)
    return data


def save_profile(client: FlaskClient, **fields: object) -> Any:
    """Send the profile form."""
    form = {"name": "Ann", **fields}
    return client.post("/settings/profile", data=form, content_type="multipart/form-data")
