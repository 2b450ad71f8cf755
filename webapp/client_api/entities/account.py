"""Members, as accounts."""

from typing import Any

import msgspec
from markupsafe import escape

from webapp.accounts.settings.quote_policy import QuotePolicy
from webapp.client_api.http import format_time
from webapp.client_api.posting_defaults import posting_defaults
from webapp.core.media.storage import avatar_path, picture_url
from webapp.core.store import created_at
from webapp.following.profiles import Profile

from .content import link, to_html

MISSING_HEADER = "/headers/original/missing.png"  # clients know it by its end
QUOTABLE_BY = {
    QuotePolicy.EVERYONE: "public",
    QuotePolicy.FOLLOWERS: "followers",
    QuotePolicy.NOBODY: "nobody",
}


class Field(msgspec.Struct, frozen=True):
    """A line of a profile's table."""

    name: str
    value: str
    verified_at: str | None = None


class Account(msgspec.Struct, kw_only=True):
    """A member as others see them."""

    id: str
    username: str
    acct: str
    display_name: str
    locked: bool
    bot: bool
    discoverable: bool
    indexable: bool
    noindex: bool
    created_at: str
    note: str
    url: str
    uri: str
    avatar: str
    avatar_static: str
    header: str
    header_static: str
    followers_count: int
    following_count: int
    statuses_count: int
    fields: list[Field]
    group: bool = False
    last_status_at: str | None
    emojis: list[str] = []
    roles: list[str] = []
    hide_collections: bool = False


class MutedAccount(Account, kw_only=True):
    """A member whom the reader mutes. `mute_expires_at`: None until unmuted."""

    mute_expires_at: str | None


class Source(msgspec.Struct, kw_only=True):
    """The fields of a profile that its member may change, as plain text."""

    privacy: str
    note: str
    fields: list[Field]
    quote_policy: str
    sensitive: bool
    language: str | None
    follow_requests_count: int
    discoverable: bool
    indexable: bool


class CredentialAccount(Account, kw_only=True):
    """The calling member."""

    source: Source
    role: dict[str, Any]


def account(profile: Profile, base: str, is_follower: bool) -> Account:
    """Return a member as others see them. Only followers learn how much a protected one posts.

    `is_follower`: the reader follows the member, or is that member.
    """
    member, about = profile.member, profile.about
    avatar = f"{base}{avatar_path(member.uid, member.avatar)}"
    header = f"{base}{picture_url(about.header, 'header', 600) if about.header else MISSING_HEADER}"
    url, is_found = f"{base}/@{member.login}", not member.hidden_from_search
    shows_posting = is_follower or not member.protected
    newest_id = profile.newest_id if shows_posting else 0
    return Account(
        id=str(member.uid),
        username=member.login,
        acct=member.login,
        display_name="" if member.name == member.login else member.name,
        locked=member.protected,
        bot=bool(member.bot_owner),
        discoverable=is_found,
        indexable=is_found,
        noindex=not is_found,
        created_at=format_time(member.joined),
        note=to_html(about.text, about.entities, base),
        url=url,
        uri=url,
        avatar=avatar,
        avatar_static=avatar,
        header=header,
        header_static=header,
        followers_count=profile.followers,
        following_count=profile.following,
        statuses_count=profile.statuses if shows_posting else 0,
        last_status_at=f"{created_at(newest_id):%Y-%m-%d}" if newest_id else None,
        fields=_fields(profile),
    )


def credential_account(profile: Profile, requests: int, base: str) -> CredentialAccount:
    """Return the calling member. `requests`: how many wait to follow them."""
    member, about = profile.member, profile.about
    defaults = posting_defaults(member)
    source = Source(
        privacy=visibility_name(defaults.visibility.slug),
        note=about.text,
        fields=_fields(profile, as_html=False),
        quote_policy=QUOTABLE_BY[member.quote_policy],
        sensitive=defaults.sensitive,
        language=defaults.language or None,
        follow_requests_count=requests,
        discoverable=not member.hidden_from_search,
        indexable=not member.hidden_from_search,
    )
    role = {"id": "-99", "name": "", "permissions": "0", "color": "", "highlighted": False}
    shown = msgspec.structs.asdict(account(profile, base, is_follower=True))
    return CredentialAccount(**shown, source=source, role=role)


def visibility_name(slug: str) -> str:
    """Return the name that clients know a visibility by."""
    return {"followers": "private", "group": "private", "mentioned": "direct"}.get(
        slug, slug or "public"
    )


def _fields(profile: Profile, as_html: bool = True) -> list[Field]:
    website, location = profile.about.website, profile.about.location
    if as_html:
        website = website and link(website, "me nofollow noopener")
        location = str(escape(location))
    pairs = (("Website", website), ("Location", location))
    return [Field(name, value) for name, value in pairs if value]
