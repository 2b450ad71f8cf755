"""Reading form bodies without the parts that have no name.

Browsers name every part. For one without a name, Werkzeug would use the key None, which neither
Flask-WTF nor WTForms expects.
"""

from __future__ import annotations

from typing import Any

from flask import Flask, Request
from werkzeug.formparser import FormDataParser


class NamedPartsParser(FormDataParser):
    """Werkzeug's parser, but it drops parts without a name."""

    def parse(self, *args: Any, **options: Any) -> Any:
        """Return the stream, the fields and the files."""
        stream, fields, files = super().parse(*args, **options)
        return stream, self._named(fields), self._named(files)

    def _named(self, parts: Any) -> Any:
        """Return the parts that have a name. Close the files among the others."""
        if None not in parts:
            return parts
        for part in parts.getlist(None):
            getattr(part, "close", lambda: None)()
        return self.cls(pair for pair in parts.items(multi=True) if pair[0] is not None)


class FormRequest(Request):
    """A request whose forms have named parts only."""

    form_data_parser_class = NamedPartsParser


def init(app: Flask) -> None:
    """Read the forms of an app."""
    app.request_class = FormRequest
