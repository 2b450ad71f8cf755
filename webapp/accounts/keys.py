"""The keys of accounts, sessions and invitations."""

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
    doc="The last member id that was assigned. Ids are dense; gaps are fine.",
)


def _login(name: str) -> str:
    return f"login:{{{name.lower()}}}"


login = Key(
    "login:{<name>}",
    _login,
    String("`uid:ms`, when it was claimed"),
    bound="kept while the account exists",
    writers="`accounts/lua/claim_login.lua`",
    doc="Who has claimed this login. After 60 s a claim without an account may be taken over.",
)


user = MemberKey(
    "user",
    Hash(),
    bound="kept while the account exists, and NAME_KEPT_DAYS after",
    writers=(
        "`accounts/**/*.lua`, `timelines/fanout/lua/mark_pull_author.lua`, "
        "`notifications/lua/set_preferences.lua`, `lists/lua/create.lua`, "
        "`statuses/filters/lua/save_filter.lua`, `statuses/attachments/lua/hide_places.lua`, "
        "`statuses/compose/lua/remember_audience.lua`, `explore/onboarding/store.py`"
    ),
    doc=(
        "A member: `login`, `name`, `joined` (unix ms), `avatar`, `header` (names of "
        "pictures), `bio`, `bio_entities` (JSON), `location`, `website`; `bot` (the uid of the "
        "bot's owner); `epoch` (counts password changes and suspensions: earlier sign-ins fail), "
        "`suspended` (unix ms), `rights` (words), `pull_author` = 1 once statuses are merged at "
        "read time (sticky); `protected` = 1 if only accepted followers see their statuses; "
        "`notify:<kind>` (`followed` or `nobody`; everybody if missing), `push:<kind>` (`off`) and "
        "`push:content` (`shown`), what their devices get; `quote_policy`, who may "
        "quote (`f` followers, `n` nobody; everybody if missing); `hidden_from_search` = 1 if "
        "others do not find them; `audience`, the visibility and "
        "the reply policy of the last post, parted by a comma; `first_steps` = 1 while these are "
        "offered on their home; `places_hidden_up_to`, the id "
        "up to which their statuses show no place; `lists`, the number of the last "
        "list; "
        "`filters`, of the last filter. After the account is deleted: `removed` (unix ms) alone."
    ),
)


password = MemberKey(
    "password",
    String(),
    bound="kept while the account exists",
    writers=(
        "`accounts/lua/create.lua`, `accounts/sessions/lua/set_password.lua`, "
        "`accounts/sessions/lua/rehash_password.lua`"
    ),
    doc="The argon2id hash of a member's password, outside the user hash: no page reads it.",
)


suspended_members = PartitionKey(
    "suspended",
    Set("uid"),
    bound="no bound: one for each suspended member",
    writers="`timelines/account_projections.py`",
    doc="The suspended members, copied to each partition for the script that reads homes.",
)


invites = SiteKey(
    "invites",
    ZSet("code", "when it expires, unix seconds"),
    bound="expired ones are removed when another is created",
    writers="`accounts/invites.py`",
    doc="The invitations that have not expired.",
)


def _invite_places(code: str) -> str:
    return f"invite:{{{code}}}"


invite_places = Key(
    "invite:{<code>}",
    _invite_places,
    String("(number)"),
    bound="expires with the invitation",
    writers="`accounts/invites.py`",
    doc="How many people may use an invitation.",
)


def _invite_redemptions(code: str) -> str:
    return f"invite_redemptions:{{{code}}}"


invite_redemptions = Key(
    "invite_redemptions:{<code>}",
    _invite_redemptions,
    ZSet("uid", "when it was used, unix ms"),
    bound="as many as may use it; expires with it",
    writers="`accounts/lua/redeem_invite.lua`",
    doc=("Who used an invitation. After 60 s without an account a place is free for the next."),
)


def _session(uid: int, sha: str) -> str:
    return f"session:{{{partition_tag(uid)}}}:{sha}"


session = Key(
    "session:{<tag>}:<sha>",
    _session,
    Hash(),
    bound="expires SESSION_DAYS after it was last seen",
    writers=(
        "`accounts/sessions/lua/start_session.lua`, `accounts/sessions/lua/load_session.lua`, "
        "`accounts/sessions/lua/prove_session.lua`, `accounts/sessions/lua/set_password.lua`"
    ),
    doc=(
        "A signed-in browser, under the SHA-256 of its token: `uid`, `created`, `seen`, "
        "`proved` (when the password was last entered; all three in unix seconds), `address`, "
        "`agent` (both at the last use)."
    ),
)


sessions = PartitionKey(
    "sessions",
    ZSet("sha", "unix seconds"),
    bound="SESSIONS_MAX / 64, trimmed by a periodic job",
    writers="`accounts/**/*session*.lua`",
    doc="The partition's sessions by last use: the least recent are removed first.",
)


member_sessions = MemberKey(
    "member_sessions",
    ZSet("sha", "unix seconds"),
    bound="MEMBER_SESSIONS_MAX; expires with the last of them",
    writers="`accounts/**/*session*.lua`",
    doc="One member's sessions by last use.",
)
