"""Make and compile routes once for all apps of a test process."""

from copy import copy
from threading import Lock
from typing import Any, ClassVar

from flask import Blueprint, Flask
from flask.sansio.blueprints import BlueprintSetupState
from werkzeug.routing import Map, Rule, RuleFactory


class SharedRoutes(Map):
    """The routes of an app. Apps of a test process with the same routes share what is compiled."""

    _compiled: ClassVar[dict[tuple[object, ...], Map]] = {}

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.added: list[Rule] = []
        self._is_compiled = True
        self._compiling = Lock()

    def add(self, rulefactory: RuleFactory) -> None:
        self.added += rulefactory.get_rules(self)
        self._is_compiled = False

    def update(self) -> None:
        with self._compiling:
            if not self._is_compiled:
                shared = self._shared()
                self._matcher, self._rules_by_endpoint = shared._matcher, shared._rules_by_endpoint
                self._is_compiled = True

    def _shared(self) -> Map:
        key = tuple(map(_rule_key, self.added))
        if key not in self._compiled:
            routes = Map(map(copy, self.added), converters=self.converters)
            routes.update()
            self._compiled[key] = routes
        return self._compiled[key]


class SharedRules(BlueprintSetupState):
    """Adds the routes of a blueprint to an app. Each is made once, with the first app."""

    _made: ClassVar[dict[tuple[object, ...], Rule]] = {}

    def add_url_rule(
        self, rule: str, endpoint: str | None = None, view_func: Any = None, **options: Any
    ) -> None:
        place = (self.blueprint, self.url_prefix, self.name_prefix)
        key = (*place, rule, endpoint, view_func, repr(options))
        made, views, routes = self._made.get(key), self.app.view_functions, self.app.url_map
        if made and made.endpoint not in views:
            routes.add(made)
            views[made.endpoint] = view_func
        else:
            super().add_url_rule(rule, endpoint, view_func, **options)
            self._made[key] = routes.added[-1]


def _rule_key(rule: Rule) -> tuple[object, ...]:
    if not hasattr(rule, "key"):
        methods = frozenset(rule.methods or ())
        answers_options = getattr(rule, "provide_automatic_options", None)
        rule.key = (
            *(rule.rule, rule.endpoint, methods, rule.strict_slashes, repr(rule.defaults)),
            answers_options,
        )
    return rule.key


def share_routes() -> None:
    """Let the apps of this process share their routes, and what is compiled of them."""
    Flask.url_map_class = SharedRoutes
    Blueprint.make_setup_state = lambda *state: SharedRules(*state)
