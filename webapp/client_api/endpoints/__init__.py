"""The endpoints, by what they are about."""

from . import accounts, apps, instance, statuses, timelines

BLUEPRINTS = (apps.bp, instance.bp, accounts.bp, timelines.bp, statuses.bp)
