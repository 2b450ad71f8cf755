"""The pages of the market, and its entry under "More"."""

from flask_babel import lazy_gettext as _l

from webapp.core.rendering.feature_pages import FeaturePages, MenuEntry

from . import cart_views, views

PAGES = FeaturePages(
    (views.bp, cart_views.bp),
    MenuEntry(
        "market.index",
        "cart",
        _l("Market"),
        _l("Buy and sell items for points, at a price or to the highest bidder."),
    ),
)
