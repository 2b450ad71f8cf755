"""Build the parameters by which a page follows a stream (components/live_updates.html).

The placeholder `position` stands for the place in the log at which the page was read.
"""

from urllib.parse import quote, urlencode

from flask import g

from webapp.core.web import config, cursor, stream_base_url

from .shells import placeholder


def stream_for_timeline(name: str) -> dict[str, object] | None:
    """Return the live parameters of a timeline's newest page. None on older pages.

    `name` is that of the stream, such as `public`, `tag/birds`, `group/5` or `list/7/3`.
    """
    if cursor() is not None:
        return None
    kind = name.partition("/")[0]
    filter_context = {"tag": name, "list": "home", "group": "home"}.get(kind, kind)
    return _parameters(quote(name), config().page_size, quote(filter_context))


def stream_for_search(query: str, position: str) -> dict[str, object] | None:
    """Return the live parameters of a query's newest results, with their position, else None."""
    if cursor() is not None:
        return None
    path = f"search?{urlencode({'q': query})}"
    return _parameters(path, config().page_size, "public") | {"position": position}


def stream_for_thread(status_id: int) -> dict[str, object]:
    """Return the live parameters of a status's own page.

    New statuses have their places in the thread, so the page inserts none and reloads the thread.
    """
    parameters = _parameters(f"thread/{status_id}", 0, "thread")
    return parameters | {"permalink_id": status_id}


def _parameters(path: str, max_items: int, filter_context: str) -> dict[str, object]:
    """Return them; the script adds the page's position to `stream`.

    `max_items`: inserted at once. `filter_context`: where a member's filters look.
    """
    return {
        "stream": f"{stream_base_url()}/stream/{path}{'&' if '?' in path else '?'}",
        "position": placeholder("position"),
        "max_items": max_items,
        "filter_context": filter_context if g.viewer else "",
        "permalink_id": 0,
    }
