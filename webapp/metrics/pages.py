"""The pages of metrics."""

from webapp.core.rendering.feature_pages import FeaturePages

from . import views

PAGES = FeaturePages([views.bp, views.log_bp], admin_panel=views.admin_panel)
