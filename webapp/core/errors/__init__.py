"""Errors of the site: their kinds, and the sentences that people read. Stores raise them."""

from .kinds import Conflict as Conflict
from .kinds import Forbidden as Forbidden
from .kinds import Invalid as Invalid
from .kinds import LeaseLost as LeaseLost
from .kinds import NeedsReview as NeedsReview
from .kinds import NotFound as NotFound
from .kinds import RateLimited as RateLimited
from .kinds import Refused as Refused
from .kinds import RefusedText as RefusedText
from .kinds import RequestTimedOut as RequestTimedOut
from .kinds import StoreError as StoreError
from .kinds import TooLarge as TooLarge
from .kinds import Unauthorized as Unauthorized
from .kinds import Unavailable as Unavailable
from .kinds import WrongBodyType as WrongBodyType
from .script_errors import SCRIPT_ERRORS as SCRIPT_ERRORS
from .sentences import SENTENCES as SENTENCES
