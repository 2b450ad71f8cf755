"""The keys of apps and of the codes that they exchange for tokens."""

from zlib import crc32

from webapp.core.store.ids import PARTITIONS
from webapp.core.store.schema import Hash, Key, MemberKey


def _partition(client_id: str) -> int:
    return crc32(client_id.encode()) % PARTITIONS


oauth_app = Key(
    "oauth_app:{<tag>}:<client_id>",
    Hash(),
    by=_partition,
    bound="expires a week after it was registered, or OAUTH_APP_DAYS after its last new token",
    doc="""An app made for the client API: `name`, `website`, `redirects` (by line), `scopes`,
    `secret` (SHA-256), `created` (unix seconds).""",
)

oauth_code = MemberKey(
    "oauth_code",
    Hash(),
    facets="<sha>",
    bound="expires after ten minutes",
    doc="""A member's consent, under the SHA-256 of its code: `app`, `name`, `redirect`, `scopes`,
    `challenge` (S256), `epoch` (the member's then), `used` (the sha of its token).""",
)
