"""Requests and answers of the client API: parameters in, entities and errors out."""

from webapp.core.web import site_address as site_address

from .paging import Paging as Paging, PeoplePaging as PeoplePaging, Ranked as Ranked, Sized as Sized
from .parameters import (
    Id as Id,
    IdsParameters as IdsParameters,
    InvalidForm as InvalidForm,
    InvalidRequest as InvalidRequest,
    Parameters as Parameters,
    Seconds as Seconds,
    cleaned as cleaned,
    converted as converted,
    invalid as invalid,
    is_on as is_on,
    rows as rows,
)
from .responses import Listed as Listed, Paged as Paged, format_time as format_time
