"""The paths of cached pages that show trends. A test compares the views."""

TREND_PAGES = (
    *("/explore", "/explore/all", "/explore/tags", "/explore/links", "/explore/groups"),
    "/public",
)
