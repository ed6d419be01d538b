"""Adapters for the SDKs of agent runtimes, one module each."""

from __future__ import annotations

from threading import Event

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    Value = TypeVar("Value")


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
