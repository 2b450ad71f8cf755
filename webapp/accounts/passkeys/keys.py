"""The keys of passkeys and of the challenges that they answer."""

from webapp.core.store.schema import Hash, Key, MemberKey, String

passkeys = MemberKey(
    "passkeys",
    Hash("id (base64url)", "JSON"),
    private=True,
    bound="PASSKEYS_MAX",
    doc="""A member's passkeys: `name`, `key` (the public key, base64url), `count` (signatures, as
    the device counted at the last use), `created`, `used` (unix seconds; 0: never).""",
)

passkey_challenge = Key(
    "passkey_challenge:{<sha>}",
    String("`enter`, or `register uid`"),
    bound="expires after 5 minutes; removed by its first answer",
    doc="What a passkey was asked to sign, under its SHA-256, and what for.",
)
