"""Adapters for the SDKs of agent runtimes, one module each."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from threading import Event
from typing import Any, TypeVar

from patchkit.runtimes.answers import missing_package

Value = TypeVar("Value")


def sdk(module: str, runtime: str, package: str, extra: str) -> Any:
    """A module of an SDK, or one of ours that imports it; raises P647 where the package is not installed."""
    try:
        return import_module(module)
    except ImportError:
        raise missing_package(runtime, package, extra) from None


# Calls for hosts with an event loop: in a thread of their own, so that the loop goes on.
#
# Takes work that asks whether it is cancelled; returns its value. When the task that waits is cancelled, the work is,
# too, and a command it runs is ended with all that it started.
async def in_thread(work: Callable[[Callable[[], bool]], Value]) -> Value:
    """The value of the work; it gets a function that returns true when it is not waited for any more."""
    import asyncio  # a host that waits has it already; one that does not should not load it

    cancel = Event()
    try:
        return await asyncio.to_thread(work, cancel.is_set)
    except asyncio.CancelledError:
        cancel.set()
        raise
