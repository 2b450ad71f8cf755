"""The endpoints, by what they are about."""

from webapp.client_api import pictures
from webapp.client_api.declaration import ENDPOINTS as ENDPOINTS

from . import (
    accounts,
    apps,
    filters,
    finding,
    instance,
    lists,
    little,
    media,
    notifications,
    own_account,
    people,
    scheduled,
    statuses,
    timelines,
)

MODULES = (
    *(apps, instance, accounts, own_account, people, timelines, statuses, scheduled, media),
    *(notifications, lists, filters, finding, little, pictures),
)
BLUEPRINTS = tuple(module.bp for module in MODULES)
