"""The keys of second factors and of sign-ins that wait for one."""

from webapp.core.store.ids import partition_of
from webapp.core.store.schema import Hash, Key, MemberKey, Set

authenticator = MemberKey(
    "authenticator",
    Hash(),
    private=True,
    bound="six fields",
    doc="""A member's authenticator app: `secret` (sealed with SECRET_KEY), `step` (the 30 s of the
    last code that was accepted: it and earlier ones are refused), and the tries in the present 30
    s, `known_at` and `known_tries` of devices that have signed in before, `new_at` and `new_tries`
    of all others.""",
)

recovery_codes = MemberKey(
    "recovery_codes",
    Set("`salt.hash` of a code (PBKDF2), or the SHA-256 of an older one"),
    private=True,
    bound="10",
    doc="A member's recovery codes that are not used yet.",
)

challenge = Key(
    "challenge:{<tag>}:<sha>",
    Hash(),
    by=partition_of,
    bound="expires after 10 minutes",
    doc="""A sign-in whose password was right and that waits for its code, under the SHA-256 of its
    token: `uid`, `epoch` (of the member, when the password was verified), `tries`.""",
)
