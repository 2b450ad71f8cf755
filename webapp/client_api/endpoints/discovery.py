"""Discovery: the members and the software of a site, for clients that do not know it yet."""

from typing import Any

from flask import Response, request

from webapp.accounts import store as accounts
from webapp.client_api.declaration import ApiBlueprint
from webapp.client_api.http import responses, site_address
from webapp.client_api.presentation import shown_member
from webapp.client_api.status_reads.account_reads import name_here
from webapp.core.errors import Refused
from webapp.core.web import anonymous, config, db

from .instance import VERSION

bp = ApiBlueprint("discovery")
WEBFINGER = "/.well-known/webfinger"
HOST_META = (
    '<?xml version="1.0" encoding="UTF-8"?>\n<XRD xmlns="http://docs.oasis-open.org/ns/xri/xrd-1.0">'
    f'<Link rel="lrdd" template="{{base}}{WEBFINGER}?resource={{{{uri}}}}"/></XRD>\n'
)
PROFILE_PAGE = "http://webfinger.net/rel/profile-page"


@bp.get("/.well-known/host-meta")
@anonymous
def host_meta() -> Response:
    """Say where members are looked up, which tells clients the host of the API."""
    return Response(HOST_META.format(base=site_address()), mimetype="application/xrd+xml")


@bp.get(WEBFINGER)
@anonymous
def webfinger() -> Response:
    """Say where the profile of a member is (RFC 7033). `resource`: `acct:name@host` or its page."""
    resource = request.args.get("resource", "")
    if not resource:
        raise Refused("invalid_parameter", "resource is missing")
    member = shown_member(db().read(accounts.uid_by_login(_login(resource))))
    base = site_address()
    url = f"{base}/@{member.login}"
    found = {
        "subject": f"acct:{member.login}@{responses.site_host()}",
        "aliases": [url],
        "links": [{"rel": PROFILE_PAGE, "type": "text/html", "href": url}],
    }
    response = responses.json(found)
    response.content_type = "application/jrd+json; charset=utf-8"
    return response


@bp.get("/.well-known/nodeinfo")
@anonymous
def nodeinfo_links() -> Response:
    """Say where the description of the software is."""
    rel = "http://nodeinfo.diaspora.software/ns/schema/2.0"
    return responses.json({"links": [{"rel": rel, "href": f"{site_address()}/nodeinfo/2.0"}]})


@bp.get("/nodeinfo/2.0")
@anonymous
def nodeinfo() -> Response:
    """Describe the software. Clients know its API by the version of the instance or `upstream`."""
    described: dict[str, Any] = {
        "version": "2.0",
        "software": {"name": "linnet", "version": VERSION},
        "protocols": [],
        "services": {"inbound": [], "outbound": []},
        "openRegistrations": config().signup in ("open", "approval"),
        "usage": {"users": {}},
        "metadata": {"upstream": {"name": "mastodon"}},
    }
    return responses.json(described)


def _login(resource: str) -> str:
    page = f"{site_address()}/@"
    if resource.startswith(page):
        return resource.removeprefix(page)
    return name_here(resource.removeprefix("acct:")) or ""
