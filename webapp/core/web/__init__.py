"""Web: the tools of every view: options, prefetched reads, rate limits, headers, errors."""

from werkzeug.wrappers import Response as Response

from .context import (
    SAFE_METHODS as SAFE_METHODS,
    config as config,
    db as db,
    is_loaded_ahead as is_loaded_ahead,
    live_settings as live_settings,
    own_session_cookie as own_session_cookie,
    session_cookie as session_cookie,
    site as site,
    site_address as site_address,
    unwrap as unwrap,
    viewer_uid as viewer_uid,
)
from .pagination import (
    Page as Page,
    cursor as cursor,
    max_bound as max_bound,
    newest_below as newest_below,
    overfetch as overfetch,
    paginate as paginate,
)
from .prefetching import (
    Requester as Requester,
    prefetch as prefetch,
    viewer_context as viewer_context,
)
from .rate_limits import (
    consume_for_requester as consume_for_requester,
    consume_for_viewer as consume_for_viewer,
    limit_for_viewer as limit_for_viewer,
    rate_limited as rate_limited,
)
from .redirects import (
    ViewResponse as ViewResponse,
    done as done,
    redirect_back as redirect_back,
    safe_path as safe_path,
    wants_json as wants_json,
)
from .security import (
    no_store as no_store,
    no_store_page as no_store_page,
    private_page as private_page,
    vary as vary,
)
from .stream_urls import stream_base_url as stream_base_url
from .view_options import (
    accepts_uploads as accepts_uploads,
    anonymous as anonymous,
    in_loop as in_loop,
    public as public,
    secret_path as secret_path,
    storeless as storeless,
)
