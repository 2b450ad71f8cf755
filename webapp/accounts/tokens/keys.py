"""The keys of access tokens and apps."""

from webapp.core.store.ids import partition_of
from webapp.core.store.schema import Hash, Key, MemberKey, String, ZSet

token = Key(
    "token:{<tag>}:<sha>",
    Hash(),
    by=partition_of,
    bound="kept until it is revoked or ends",
    doc="""An access token, under its SHA-256: `uid`, `name`, `created`, `used`, `ends` (unix
    seconds; it expires then, if the member chose an end). One of an app has the client id (`app`)
    and the `scopes` that the member allowed.""",
)

tokens = MemberKey(
    "tokens",
    ZSet("sha", "when it was created, unix seconds with their parts"),
    bound="TOKENS_MAX, and APP_TOKENS_MAX of apps",
    doc="One member's access tokens, those of apps among them.",
)

app = MemberKey(
    "app",
    Hash(),
    facets="<id>",
    bound="kept until it is revoked",
    doc="""An app of a member (OAuth 1.0a), whose consumer key is `uid-id`: `name`, `token` (its
    access token), `secrets` (of both, sealed with SECRET_KEY), `created`, `used` (unix
    seconds).""",
)

apps = MemberKey(
    "apps",
    ZSet("id", "when it was created, unix seconds with their parts"),
    bound="APPS_MAX",
    doc="One member's apps.",
)

nonce = MemberKey(
    "nonce",
    String(),
    facets="<id>:<hash>",
    bound="expires when its timestamp is too old to be accepted",
    doc="""A signed request of an app, which must not be repeated. `<hash>` is that of its timestamp
    and nonce.""",
)
