"""Errors of the site: their kinds, and the sentences that people read. Stores raise them."""

from .kinds import (
    Conflict as Conflict,
    Forbidden as Forbidden,
    Invalid as Invalid,
    LeaseLost as LeaseLost,
    NeedsReview as NeedsReview,
    NotFound as NotFound,
    RateLimited as RateLimited,
    Refused as Refused,
    RefusedText as RefusedText,
    RequestTimedOut as RequestTimedOut,
    StoreError as StoreError,
    TooLarge as TooLarge,
    Unauthorized as Unauthorized,
    Unavailable as Unavailable,
    WrongBodyType as WrongBodyType,
)
from .script_errors import SCRIPT_ERRORS as SCRIPT_ERRORS
from .sentences import SENTENCES as SENTENCES
