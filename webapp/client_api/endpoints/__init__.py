"""The endpoints, by what they are about."""

from webapp.client_api import pictures

from . import (
    accounts,
    apps,
    finding,
    instance,
    lists,
    little,
    media,
    notifications,
    people,
    statuses,
    timelines,
)

MODULES = apps, instance, accounts, people, timelines, statuses, media, notifications, lists
BLUEPRINTS = tuple(module.bp for module in (*MODULES, finding, little, pictures))
