"""The paths of cached pages that show trends. A test compares the views."""

TREND_PAGES = (
    *("/explore", "/explore/tags", "/explore/links", "/explore/people", "/explore/groups"),
    *("/public", "/public/hot"),
)
