"""Whether a command runs in a sandbox, how strict that is, and what the user's settings add to it.

Takes the settings, who calls and what the call asks for; returns a SandboxChoice. `[sandbox]` is a table of the user's
own settings only: what comes with a repository must not loosen what holds for its commands. Loads nothing that makes a
sandbox: most commands of people have none.
"""

from __future__ import annotations

import os

from patchkit.policy.settings import Settings, SettingsFile
from patchkit.values import Record

OFF, AUTO, REQUIRE = MODES = ("off", "auto", "require")
NO_NETWORK, ALL_NETWORK = NETWORKS = ("none", "all")
_KEYS = {"mode": MODES, "network": NETWORKS}
_LISTS = ("read", "write")


class SandboxChoice(Record):
    """What is asked for: the mode, the network, and paths that the user's settings add."""

    mode: str
    network: str = NO_NETWORK
    read: list[str] = []
    write: list[str] = []


def chosen(settings: Settings | None, agent: bool, mode: str | None, network: str | None) -> SandboxChoice:
    """What holds for a call: what it asks for, else what the user's settings say, else 'auto' for an agent.

    For an agent the settings are the least: it can ask for more, and not for less.
    """
    own = settings.user if settings is not None else None
    table = (own.table("sandbox") if own is not None else None) or {}
    if own is not None:
        _check(own, table)
    asked = mode or table.get("mode") or (AUTO if agent else OFF)
    net = network or table.get("network") or NO_NETWORK
    if agent and "mode" in table:
        asked = max(asked, table["mode"], key=MODES.index)
    if agent and "network" in table:
        net = min(net, table["network"], key=NETWORKS.index)
    choice = SandboxChoice(asked, net)
    choice.read, choice.write = ([os.path.expanduser(path) for path in table.get(name, [])] for name in _LISTS)
    return choice


def _check(own: SettingsFile, table: dict[str, object]) -> None:
    for key, value in table.items():
        if key in _KEYS:
            if value not in _KEYS[key]:
                raise own.wrong(f"sandbox.{key}", value, " or ".join(f"'{each}'" for each in _KEYS[key]))
        elif key not in _LISTS:
            raise own.unknown(f"sandbox.{key}", (*_KEYS, *_LISTS))
        elif not isinstance(value, list) or not all(isinstance(each, str) and each[:1] in "~/" for each in value):
            raise own.wrong(f"sandbox.{key}", value, "a list of paths that begin with '/' or '~'")
