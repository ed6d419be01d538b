"""Start a child that the kernel restricts: by Landlock, by a filter of system calls, and by mounts where it can be.

Takes the rights, as a Ruleset and MountSteps, and a function that starts the child; restricts the child and never the
host. The calling thread is restricted and the child inherits that: the thread must end afterwards, and do nothing else.
Who may not mount needs a user namespace, which a process with threads cannot enter: where it is not in one already, a
fork does all of it before it becomes the program, which takes longer. Which rights there are is decided in `policy`.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TypeVar

from patchkit.errors import PatchkitError
from patchkit.sandbox.landlock import DEVICE, RUN, WRITE, Ruleset
from patchkit.sandbox.mounts import TERMINALS, MountStep, enter, own_mounts, own_namespace
from patchkit.sandbox.system_calls import drop_capabilities, filter_calls, filter_program, machine, take_privileges

T = TypeVar("T")

_LONGEST = 500
_REPLACED = "replaced:"  # before what is said about a file that is not the one that was found before


class NoNamespace(Exception):  # noqa: N818  # the caller goes on without mounts
    """This machine does not let a user make namespaces with mounts; the first argument says why."""


class Sandbox:
    """The restrictions of one child. `close` it when the child was started, or will not be."""

    def __init__(self, ruleset: Ruleset, mounts: list[MountStep] | None, network: bool, cwd: str) -> None:
        self.ruleset = ruleset
        self.mounts = mounts
        self._filter = filter_program(machine(), network, own_ipc=mounts is not None)
        self._cwd = cwd

    def start(self, begin: Callable[[Callable[[], None] | None], T]) -> T:
        """Starts the child by `begin`, which takes what the fork has to call before it becomes the program.

        Raises P673 where the child cannot be restricted, and NoNamespace where it cannot be with mounts.
        """
        if self.mounts is None or own_mounts():
            try:
                self._enter()
            except OSError as error:
                said = _complaint(error)
                if self.mounts is not None and not said.startswith(_REPLACED):
                    raise NoNamespace(said) from None
                raise PatchkitError("P673", reason=said.removeprefix(_REPLACED)) from None
            return begin(None)
        reading, writing = os.pipe()
        try:
            return begin(lambda: self._prepare(writing))
        except Exception:
            said = _said(reading)
            if not said:
                raise  # the program itself cannot be started
            if said.startswith(_REPLACED):
                raise PatchkitError("P673", reason=said.removeprefix(_REPLACED)) from None
            raise NoNamespace(said) from None
        finally:
            os.close(reading)
            os.close(writing)

    def restrict(self) -> None:
        """Restricts the calling thread for ever; raises OSError."""
        take_privileges()
        self.ruleset.restrict()
        drop_capabilities()
        filter_calls(self._filter)

    def _prepare(self, complaints: int) -> None:
        """All that the fork does before it becomes the program."""
        try:
            own_namespace()
            self._enter()
        except BaseException as error:
            os.write(complaints, _complaint(error).encode("utf-8", "replace")[:_LONGEST])
            raise

    def _enter(self) -> None:
        """Restricts the calling thread, which has mounts of its own where there is a plan for them; raises OSError."""
        if self.mounts is not None:
            for place in enter(self.mounts):
                self.ruleset.grant_at(place, RUN | WRITE | DEVICE)
                if place == TERMINALS and os.path.exists("/dev/ptmx"):
                    self.ruleset.grant_at("/dev/ptmx", DEVICE)
            os.chdir(self._cwd)  # the directory is below other mounts now
        self.restrict()

    def close(self) -> None:
        self.ruleset.close()


def _said(reading: int) -> str:
    """What the fork complained about; '' where it did not."""
    os.set_blocking(reading, False)
    try:
        return os.read(reading, _LONGEST).decode("utf-8", "replace")
    except BlockingIOError:
        return ""


def _complaint(error: BaseException) -> str:
    said = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return f"{_REPLACED}{said}" if "was replaced" in str(error) else str(said)
