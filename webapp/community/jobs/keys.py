"""The keys of jobs. All of them lie in one slot, so that one script can compare them."""

from webapp.core.store.schema import Hash, Key, Set, SiteKey, ZSet

open_jobs = SiteKey(
    "open_jobs:{jobs}",
    ZSet("job id", "id"),
    bound="JOBS_MAX; for JOB_DAYS",
    doc="The open job offers. Ids begin with the time, as those of statuses do.",
)

unannounced_jobs = SiteKey(
    "unannounced_jobs:{jobs}",
    ZSet("job id", "id"),
    bound="as `open_jobs`",
    doc="New offers, until the partitions of their authors have the event about them.",
)

job = Key(
    "job:{jobs}:<id>",
    Hash(),
    bound="one for each open offer",
    doc="""A job offer: `uid` (its author), `title`, `text`, `place`, `place_key` (its words,
    folded), `remote` (1 or empty), `skills` (JSON: folded name, level 1 to 3, years, name).""",
)

own_jobs = Key(
    "own_jobs:{jobs}:<uid>",
    ZSet("job id", "id"),
    bound="OWN_JOBS_MAX",
    doc="A member's open job offers.",
)

job_skills = Key(
    "job_skills:{jobs}:<skill>:<level>",
    Set("job id"),
    bound="JOBS_MAX",
    doc="""The jobs whose need of a skill (folded) a level meets: those that need `l1` are in the
    sets of `l1`, `l2` and `l3`.""",
)

required_skills = SiteKey(
    "required_skills:{jobs}",
    ZSet("job id", "number of skills"),
    bound="JOBS_MAX",
    doc="How many skills each open job needs.",
)

job_places = Key(
    "job_places:{jobs}:<word>",
    Set("job id"),
    bound="JOBS_MAX",
    doc="""The jobs whose place has a word (folded); those that are done remotely also at `remote`.
    Offers that older versions saved are at the whole place, until they end.""",
)

skill_names = SiteKey(
    "skill_names:{jobs}",
    ZSet("skill (folded)", "number of open jobs"),
    bound="15 for each open job",
    doc="The skills that open jobs need. Forms suggest the most common ones.",
)

candidate = Key(
    "candidate:{jobs}:<uid>",
    Hash(),
    bound="one for each member who has named skills",
    doc="A member's `skills` (as in `job`), and `shown` (1: authors of offers that fit see them).",
)

candidate_skills = Key(
    "candidate_skills:{jobs}:<skill>:<level>",
    Set("uid"),
    bound="CANDIDATES_MAX",
    doc="The members with a skill at a level or above it, of those who show their skills.",
)

shown_candidates = SiteKey(
    "shown_candidates:{jobs}",
    Set("uid"),
    bound="CANDIDATES_MAX",
    doc="The members who show their skills to authors of offers.",
)

found_jobs = Key(
    "found_jobs:{jobs}:<step>",
    ZSet("job id", "a number"),
    bound="removed by the script that writes it",
    doc="What a search compares, while its script runs.",
)
