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


def profile_path(login: str) -> str:
    """Return the path of a member's profile."""
    return f"/@{login}"


def replies_path(login: str) -> str:
    """Return the path of a member's profile with replies."""
    return f"/@{login}/replies"


def feed_path(login: str) -> str:
    """Return the path of a member's feed."""
    return f"/@{login}/feed.atom"


def profile_paths(login: str) -> tuple[str, str]:
    """Return the paths of a member's profile, without and with replies."""
    return profile_path(login), replies_path(login)


def follow_paths(login: str) -> tuple[str, str, str]:
    """Return the paths of a member's followers, of the members they follow, and of both."""
    return f"/@{login}/followers", f"/@{login}/following", f"/@{login}/mutuals"


def lists_path(login: str) -> str:
    """Return the path of a member's public lists."""
    return f"/@{login}/lists"


def status_path(login: str, status_id: int | str) -> str:
    """Return the path of a status."""
    return f"/@{login}/{status_id}"


def embed_path(login: str, status_id: int | str) -> str:
    """Return the path of a status as other sites show it in a frame."""
    return f"{status_path(login, status_id)}/embed"


def own_paths(login: str, status_id: int | str) -> tuple[str, str]:
    """Return the paths of the pages that show a status itself, with its counts."""
    return status_path(login, status_id), embed_path(login, status_id)


def likes_path(login: str, status_id: int | str) -> str:
    """Return the path of the members who like a status."""
    return f"{status_path(login, status_id)}/likes"


def boosts_path(login: str, status_id: int | str) -> str:
    """Return the path of the members who boost a status."""
    return f"{status_path(login, status_id)}/boosts"


def quotes_path(login: str, status_id: int | str) -> str:
    """Return the path of the quotes of a status."""
    return f"{status_path(login, status_id)}/quotes"


def history_path(login: str, status_id: int | str) -> str:
    """Return the path of the earlier versions of a status."""
    return f"{status_path(login, status_id)}/history"


def all_status_paths(login: str, status_id: int | str) -> tuple[str, ...]:
    """Return the paths of all pages of a status."""
    pages = (status_path, embed_path, likes_path, boosts_path, quotes_path, history_path)
    return tuple(path(login, status_id) for path in pages)


def tag_path(name: str) -> str:
    """Return the path of a hashtag, by its folded name."""
    return f"/tags/{name}"


def tag_feed_path(name: str) -> str:
    """Return the path of a hashtag's feed."""
    return f"/tags/{name}.atom"


def tag_hot_path(name: str) -> str:
    """Return the path of a hashtag's hot posts."""
    return f"/tags/{name}/hot"
