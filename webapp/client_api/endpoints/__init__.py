"""The endpoints, by what they are about."""

from webapp.client_api import openapi, pictures
from webapp.client_api.declaration import ENDPOINTS as ENDPOINTS

from . import (
    conversations,
    discovery,
    finding,
    hashtags,
    instance,
    lists,
    little,
    notifications,
    registration,
    timelines,
    trends,
)
from .filtering import filters
from .members import accounts, own_account, people, relationships
from .notified import grouped, policy, push
from .posts import acts, attachments, posting, quotes, scheduled, statuses

MODULES = (
    *(registration, instance, discovery, accounts, own_account, people, relationships, timelines),
    *(statuses, posting, acts, quotes, scheduled, attachments),
    *(conversations, notifications, grouped, policy, push),
    *(lists, filters, finding, hashtags, trends, little, pictures, openapi),
)
BLUEPRINTS = tuple(module.bp for module in MODULES)
