"""The form of a filter."""

from webapp.statuses.filters.filter_set import CONTEXTS

FORM = {
    "words": "Crumbs",
    "whole": "y",
    "filter_action": "warn",
    "expires_in": "always",
    **dict.fromkeys(CONTEXTS, "y"),
}
