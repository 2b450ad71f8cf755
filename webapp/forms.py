"""What all forms share."""

from __future__ import annotations

from typing import Any

from flask import request
from flask_wtf import FlaskForm


class Form(FlaskForm):  # type: ignore[misc]
    """A form of the site: read from a form's body only, never from JSON, which may have any shape."""

    class Meta(FlaskForm.Meta):  # type: ignore[misc]
        """How the form is read."""

        def wrap_formdata(self, form: Any, formdata: Any) -> Any:
            """The request's form fields, once it is sent."""
            return request.form if form.is_submitted() else None
