"""What accounts, sessions and invitations store."""

from __future__ import annotations

from webapp.core.store.schema import (
    Hash,
    Key,
    MemberKey,
    PartitionKey,
    Set,
    SiteKey,
    String,
    ZSet,
    partition_tag,
)

last_uid = SiteKey(
    "last_uid",
    String("(counter)"),
    bound="no bound: one value",
    writers="`accounts/store.py`",
    doc="The last member id given out. Ids are dense; gaps are fine.",
)


def _login(name: str) -> str:
    return f"login:{{{name.lower()}}}"


login = Key(
    "login:{<name>}",
    _login,
    String("`uid:ms` (when it was claimed)"),
    bound="kept while the account exists",
    writers="`accounts/lua/claim_login.lua`",
    doc="Whose name this is. A claim without an account may be taken over after 60 s.",
)


user = MemberKey(
    "user",
    Hash(),
    bound="kept while the account exists, and NAME_KEPT_DAYS after",
    writers=(
        "`accounts/**/*.lua`, `timelines/fanout/projections.py`, "
        "`notifications/lua/set_preferences.lua`, `lists/lua/create.lua`, "
        "`statuses/filters/lua/save_filter.lua`"
    ),
    doc=(
        "A member: `login`, `name`, `joined` (unix ms), `avatar`, `header` (names of "
        "pictures), `bio`, `bio_entities` (JSON), `location`, `website`; `bot` (the uid of "
        "its owner, where it is one); `epoch` (grows whenever sign-ins must be proved anew), "
        "`suspended` (unix ms), `rights` (words), `pulled` = 1 once merged at read time "
        "(sticky); `protected` = 1 where only accepted followers see what they write; "
        "`notify:<kind>` (followed or nobody) where that is not everyone; `quoting` (`f` "
        "followers, `n` nobody), who may quote them, where that is not everyone; `lists`, the "
        "number of the last list made; `filters`, of the last filter. After the account is "
        "deleted: `removed` (unix ms) alone."
    ),
)


password = MemberKey(
    "password",
    String(),
    bound="kept while the account exists",
    writers="`accounts/lua/create.lua`, and at sign-in when the cost has changed",
    doc=(
        "The member's password as an argon2id hash, apart from the user hash so that no page can show it."
    ),
)


def _session(uid: int, sha: str) -> str:
    return f"session:{{{partition_tag(uid)}}}:{sha}"


session = Key(
    "session:{<tag>}:<sha>",
    _session,
    Hash(),
    bound="expires SESSION_DAYS after it was last seen",
    writers="`accounts/sessions/lua/start_session.lua`, `accounts/sessions/lua/load_session.lua`",
    doc=(
        "A signed-in browser, under the SHA-256 of its token: `uid`, `created`, `seen` (unix "
        "seconds), `address`, `agent` (both as last seen)."
    ),
)


sessions = PartitionKey(
    "sessions",
    ZSet("sha", "unix seconds"),
    bound="SESSIONS_MAX / 64, trimmed by a periodic job",
    writers="`accounts/**/*session*.lua`",
    doc="The partition's sessions by when they were last seen, to remove the least recent.",
)


member_sessions = MemberKey(
    "member_sessions",
    ZSet("sha", "unix seconds"),
    bound="MEMBER_SESSIONS_MAX; expires with the last of them",
    writers="`accounts/**/*session*.lua`",
    doc="One member's sessions by when they were last seen.",
)


suspended_members = PartitionKey(
    "suspended",
    Set("uid"),
    bound="no bound: one a suspended member",
    writers="`timelines/account_projections.py`",
    doc="The suspended members, copied to each partition for the script that reads homes there.",
)


invites = SiteKey(
    "invites",
    ZSet("code", "when it expires, unix seconds"),
    bound="expired ones go when another is made",
    writers="`accounts/invites.py`",
    doc="The invitations that are still valid.",
)


def _invite_places(code: str) -> str:
    return f"invite:{{{code}}}"


invite_places = Key(
    "invite:{<code>}",
    _invite_places,
    String("(number)"),
    bound="expires with the invitation",
    writers="`accounts/invites.py`",
    doc="How many may come with an invitation.",
)


def _invite_redemptions(code: str) -> str:
    return f"invite_redemptions:{{{code}}}"


invite_redemptions = Key(
    "invite_redemptions:{<code>}",
    _invite_redemptions,
    ZSet("uid", "when it was taken, unix ms"),
    bound="as many as may come; expires with it",
    writers="`accounts/lua/redeem_invite.lua`",
    doc=(
        "Who came with an invitation. A place whose account was never made is given to the next after 60 s."
    ),
)
