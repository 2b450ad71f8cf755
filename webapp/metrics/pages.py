"""The pages of metrics."""

from __future__ import annotations

from webapp.core.rendering.feature_pages import FeaturePages

from . import log_views, views

PAGES = FeaturePages([views.bp, log_views.bp], admin_panel=views.admin_panel)
