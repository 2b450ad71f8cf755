"""A request for a stream of the API, in plain values."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from urllib.parse import SplitResult, parse_qs, parse_qsl, urlsplit

from webapp.accounts.tokens import oauth
from webapp.config import Config
from webapp.core.errors import Invalid
from webapp.core.net.ip import forwarded_header
from webapp.streaming.http.asgi import Scope
from webapp.streaming.http.requests import client_network, header_dict, peer_of

from .parameter_values import BadParameters

FIELDS_MAX = 10_000


@dataclass(frozen=True, slots=True)
class StreamRequest:
    """A request: its whole URL, its headers by lower-case name, and whom rate limits count."""

    method: str
    url: str  # with its query as it came
    headers: Mapping[str, str]
    body: bytes = b""
    address: str = "unknown"

    @property
    def url_parts(self) -> SplitResult:
        """Return the parts of the URL. Raises Invalid: a Host header may hold anything."""
        try:
            url_parts = urlsplit(self.url)
            _ = url_parts.port  # raises ValueError for a bad port
        except ValueError:
            raise Invalid("bad_address") from None
        return url_parts

    @property
    def form(self) -> bytes:
        """Return the body if it is a form, else nothing."""
        content_type = self.headers.get("content-type", "").split(";")[0].strip().lower()
        return self.body if content_type == oauth.FORM_CONTENT_TYPE else b""

    def parameter(self, name: str) -> str | None:
        """Return a parameter of the form or else of the query, None if it is missing."""
        for text in (self.form.decode("utf-8", "replace"), self.url_parts.query):
            value = dict(parse_qsl(text, keep_blank_values=True)).get(name)
            if value is not None:
                return value
        return None

    def parameters(self) -> Mapping[str, Sequence[str]]:
        """Return all parameters; the form's win over the query's. Raises BadParameters.

        Some clients write parameters behind the path, after `&`.
        """
        parse = partial(
            parse_qs, keep_blank_values=True, max_num_fields=FIELDS_MAX, errors="strict"
        )
        if self.body and not self.form:
            raise BadParameters(400, "Send parameters as a form, not as JSON or multipart.")
        path_parameters = self.url_parts.path.partition("&")[2]
        try:
            form = self.form.decode()
            return {**parse(path_parameters), **parse(self.url_parts.query), **parse(form)}
        except UnicodeDecodeError:
            raise BadParameters(400, "The parameters are not valid UTF-8.") from None
        except ValueError:
            raise BadParameters(413, "That is more parameters than we read.") from None


def request_from_scope(config: Config, scope: Scope, body: bytes) -> StreamRequest:
    """Return the request of an ASGI scope, as the trusted proxies in front saw it."""
    headers = header_dict(scope)
    proxied = partial(forwarded_header, headers, proxies=config.trusted_proxies)
    scheme = proxied("proto") or scope.get("scheme", "http")
    host = proxied("host") or headers.get("host", "")
    target = (scope.get("raw_path") or scope["path"].encode()).split(b"?")[0].decode("latin-1")
    query = scope.get("query_string", b"").decode("latin-1")
    url = f"{scheme}://{host}{target}"
    return StreamRequest(
        scope["method"],
        f"{url}?{query}" if query else url,
        headers,
        body,
        client_network(config, headers, peer_of(scope)),
    )
