"""The paths of cached pages. A worker has no app to build them; a test compares the views."""

FRONT_PAGE = "/"
PUBLIC = "/public"
PUBLIC_FEED = "/public.atom"
HOT = "/explore"
TRENDING_TAGS = "/explore/tags"
PUBLIC_PAGES = (FRONT_PAGE, PUBLIC, PUBLIC_FEED, HOT)
TREND_PAGES = (
    *(HOT, TRENDING_TAGS, "/explore/links", "/explore/people", "/explore/groups"),
    PUBLIC,
)
STATUSES_BY_ID = "/statuses"
STATUS_PAGES = ("embed", "likes", "boosts", "quotes", "history")  # below the path of a status


def profile_path(login: str) -> str:
    """Return the path of a member's profile."""
    return f"/@{login}"


def feed_path(login: str) -> str:
    """Return the path of a member's feed."""
    return f"/@{login}/feed.atom"


def profile_paths(login: str) -> tuple[str, str]:
    """Return the paths of a member's profile, without and with replies."""
    return profile_path(login), f"/@{login}/replies"


def follow_paths(login: str) -> tuple[str, str, str]:
    """Return the paths of a member's followers, of the members they follow, and of both."""
    return f"/@{login}/followers", f"/@{login}/following", f"/@{login}/mutuals"


def lists_path(login: str) -> str:
    """Return the path of a member's public lists."""
    return f"/@{login}/lists"


def status_path(login: str, status_id: int | str, page: str = "") -> str:
    """Return the path of a status, or of one of its STATUS_PAGES."""
    return f"/@{login}/{status_id}/{page}".rstrip("/")


def own_paths(login: str, status_id: int | str) -> tuple[str, str]:
    """Return the paths of the pages that show a status itself, with its counts."""
    return status_path(login, status_id), status_path(login, status_id, "embed")


def all_status_paths(login: str, status_id: int | str) -> tuple[str, ...]:
    """Return the paths of all pages of a status."""
    return tuple(status_path(login, status_id, page) for page in ("", *STATUS_PAGES))


def tag_paths(name: str) -> tuple[str, str, str]:
    """Return the paths of a hashtag (a folded name), of its feed, and of its hot posts."""
    return f"/tags/{name}", f"/tags/{name}.atom", f"/tags/{name}/hot"
