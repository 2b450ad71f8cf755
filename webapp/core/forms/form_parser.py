"""Reading parameters, and form bodies without the parts that have no name.

Browsers name every part. For one without a name, Werkzeug would use the key None, which neither
Flask-WTF nor WTForms expects.
"""

from functools import cached_property
from typing import Any

from flask import Flask, Request
from werkzeug.datastructures import ImmutableMultiDict
from werkzeug.exceptions import HTTPException, ServiceUnavailable
from werkzeug.formparser import FormDataParser
from werkzeug.sansio.http import parse_cookie

from webapp.core.logs import log


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


class Parameters(ImmutableMultiDict[str, Any]):
    """Fields, query arguments or cookies. A name may be missing.

    Why, measured: Werkzeug raises and catches an error for each missing one. A post's form leaves
    out a dozen, and that took 4 % of the request.
    """

    def get(self, key: str, default: Any = None, type: Any = None) -> Any:  # type: ignore[override]
        return super().get(key, default, type) if key in self else default


class FormRequest(Request):
    """A request whose forms have named parts only. Its cookies are found without other headers."""

    form_data_parser_class = NamedPartsParser
    parameter_storage_class = dict_storage_class = Parameters
    _form_error: HTTPException | None = None

    @cached_property
    def cookies(self) -> Parameters:
        return parse_cookie(self.environ.get("HTTP_COOKIE"), cls=Parameters)  # type: ignore[return-value]

    def _load_form_data(self) -> None:
        """Read the form. What cannot be read raises each time, though its body is gone then."""
        if self._form_error:
            raise self._form_error
        try:
            super()._load_form_data()
        except HTTPException as error:
            self._form_error = error
            raise
        except OSError as error:  # no room on the disk
            log.error("an upload cannot be kept: %s", error)
            self._form_error = ServiceUnavailable()
            raise self._form_error from error


def init(app: Flask) -> None:
    """Read the forms of an app."""
    app.request_class = FormRequest
