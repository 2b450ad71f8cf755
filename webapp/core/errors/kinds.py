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

    def __init_subclass__(cls, status: int | None = None) -> None:
        cls.status = status or cls.status

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

    @property
    def may_have_run(self) -> bool:
        """Return True if the store may have done the act. Then give back nothing that it took."""
        return self.code in ("store_down", "not_replicated")


class Invalid(Refused, status=422):
    """A value that cannot be accepted."""


class Unauthorized(Refused, status=401):
    """A request without valid credentials. `challenge` is for WWW-Authenticate."""

    challenge = 'OAuth realm="Linnet"'


class Forbidden(Refused, status=403):
    """Something that this member may see but not do."""


class NotFound(Refused, status=404):
    """Something that does not exist, or whose existence is hidden from this viewer."""


class Conflict(Refused, status=409):
    """Something that the present state does not allow."""


class RefusedText(Conflict, status=422):
    """A text with a word or link that the site does not allow at present."""


class NeedsReview(Conflict, status=422):
    """A post with a word that moderators look at before it is published. `term`: the word."""

    def __init__(self, term: str) -> None:
        super().__init__("in_review")
        self.term = term


class RequestTimedOut(Refused, status=408):
    """A body that did not arrive in time."""


class TooLarge(Refused, status=413):
    """A body that is larger than its form may be."""


class WrongBodyType(Refused, status=415):
    """A body of a type that nothing here reads."""


class RateLimited(Refused, status=429):
    """Too many acts of one kind. `retry_after` says when the next one is allowed."""


class Unavailable(Refused, status=503):
    """The store is down or overloaded. Trying again later helps."""
