"""The pages of metrics."""

from __future__ import annotations

from webapp.core.rendering.feature_pages import FeaturePages

from . import views

PAGES = FeaturePages([views.bp], admin_panel=views.admin_panel)
