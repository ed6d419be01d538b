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


async def in_thread(work: Callable[[Callable[[], bool]], Value]) -> Value:
    """The value of work in a thread of its own, so that the event loop of a host goes on.

    It gets a function that returns true when it is not waited for any more: then a command is ended.
    """
    import asyncio  # a host that waits has it already; one that does not should not load it

    cancel = Event()
    try:
        return await asyncio.to_thread(work, cancel.is_set)
    except asyncio.CancelledError:
        cancel.set()
        raise
