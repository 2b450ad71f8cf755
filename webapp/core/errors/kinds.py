"""The kinds of errors. A `Refused` becomes a response with its status and its sentence."""

from typing import TypeVar

from .sentences import SENTENCES

T = TypeVar("T")


class StoreError(Exception):
    """The store cannot be used: unreachable, too old, or with other data.

    The text says which, and what to do.
    """


class LeaseLost(Exception):
    """Another worker holds the partition now. The current work must be dropped."""


class Refused(Exception):
    """A request that cannot be carried out.

    `code` is stable, `sentence` is for people, `status` is for HTTP. `retry_after` is in seconds.
    """

    status = 400

    def __init__(self, code: str, sentence: object = "", retry_after: int | None = None) -> None:
        super().__init__(code)
        self.code = code
        self.sentence = sentence or SENTENCES.get(code, "")
        self.retry_after = retry_after

    @classmethod
    def unless(cls, value: T | None, code: str) -> T:
        """Return a value. Raises this error, with a code, if it is None or empty."""
        if not value:
            raise cls(code)
        return value


class Invalid(Refused):
    """A value that cannot be accepted (422)."""

    status = 422


class Unauthorized(Refused):
    """A request without valid credentials (401). `challenge` is for WWW-Authenticate."""

    status = 401
    challenge = 'OAuth realm="Linnet"'


class Forbidden(Refused):
    """Something that this member may see but not do (403)."""

    status = 403


class NotFound(Refused):
    """Something that does not exist, or whose existence is hidden from this viewer (404)."""

    status = 404


class Conflict(Refused):
    """Something that the present state does not allow (409)."""

    status = 409


class RefusedText(Conflict):
    """A text with a word or link that the site does not allow at present (422)."""

    status = 422


class RequestTimedOut(Refused):
    """A body that did not arrive in time (408)."""

    status = 408


class TooLarge(Refused):
    """A body that is larger than its form may be (413)."""

    status = 413


class WrongBodyType(Refused):
    """A body of a type that nothing here reads (415)."""

    status = 415


class RateLimited(Refused):
    """Too many acts of one kind (429). `retry_after` says when the next one is allowed."""

    status = 429


class Unavailable(Refused):
    """The store is down or overloaded (503). Trying again later helps."""

    status = 503
