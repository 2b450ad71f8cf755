"""The keys of live settings. They lie together, so that one script can change them."""

from webapp.core.store.schema import Hash, Key, SiteKey, Stream, String

settings = SiteKey(
    "settings:{config}",
    Hash("name of a setting", "value, as in the environment"),
    bound="the names in `webapp/core/settings/declared.py`",
    doc="The settings that were changed while the site runs. They go before the environment's.",
)

settings_version = SiteKey(
    "settings:{config}:version",
    String("unix µs"),
    bound="one number",
    doc="When settings, bans or the table of countries changed last.",
)

settings_history = SiteKey(
    "settings:{config}:history",
    Stream("`name`, `version`, `before`, `after`, `by`, `reason`"),
    bound="the last 1,000 changes, roughly",
    doc="""The changes of settings. `version`: the one that a change made, after which a form for
    that setting is outdated. A value begins with `=`; an empty one means the environment's. `by`: a
    username, or empty for the command line.""",
)

bans = SiteKey(
    "settings:{config}:bans",
    Hash("`word:`, `domain:` or `network:`, and the value", "JSON"),
    bound="BANS_MAX",
    doc="""Words and domains that public texts may not have, and networks that are kept out:
    `action`, `note`, `until` (unix ms, 0 for no end), `by` (a username), `at` (unix ms).""",
)

unlogged_bans = SiteKey(
    "settings:{config}:unlogged",
    Hash("version that a change made", "JSON, as in `moderation`"),
    bound="no bound: changes whose process died before the log had them",
    doc="Changes of `bans` that the log of moderation does not have yet.",
)

country_table_id = SiteKey(
    "settings:{config}:countries",
    String("id"),
    bound="one id",
    doc="Which table of countries is in use; none: that of the package.",
)

country_table = Key(
    "settings:{config}:countries:<id>",
    Hash("`licence`, `date`, `4`, `4:codes`, `6`, `6:codes`", "text; compressed arrays"),
    bound="1,000,000 ranges, some 10 MB; expires an hour after it was not used, or no longer",
    doc="A table of countries: `CountryTable` of `site_settings.py`.",
)
