"""Requests and answers of the client API: parameters in, entities and errors out."""

from webapp.core.web import site_address as site_address

from .paging import Paging as Paging
from .paging import PeoplePaging as PeoplePaging
from .paging import Ranked as Ranked
from .paging import Sized as Sized
from .parameters import Id as Id
from .parameters import IdsParameters as IdsParameters
from .parameters import InvalidForm as InvalidForm
from .parameters import InvalidRequest as InvalidRequest
from .parameters import Parameters as Parameters
from .parameters import Seconds as Seconds
from .parameters import cleaned as cleaned
from .parameters import converted as converted
from .parameters import invalid as invalid
from .parameters import is_on as is_on
from .parameters import rows as rows
from .responses import Listed as Listed
from .responses import Paged as Paged
from .responses import format_time as format_time
