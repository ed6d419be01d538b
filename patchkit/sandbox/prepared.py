"""A command in a sandbox: what it may use under the rules of its root, and what cannot be kept.

Takes the rules and what was chosen; gives a SandboxedRun, which makes a Sandbox for the child, describes it, and cleans
up afterwards. How strict it is was decided in `sandbox_choice`; what the kernel does is in `processes`.
"""

from __future__ import annotations

import os
import stat
import sys
import time

import patchkit
from patchkit.core.workspace.state import INSIDE
from patchkit.errors import Note, PatchkitError
from patchkit.globs.rule_patterns import ANY, Pattern, glob, literal, names_of
from patchkit.policy import READ, WRITE, user_settings_file
from patchkit.policy.rules import DENY, PermissionRule
from patchkit.policy.trust import SANDBOXED, state_home, trust_directory
from patchkit.sandbox import landlock
from patchkit.sandbox.child import Sandbox
from patchkit.sandbox.choice import ALL_NETWORK, AUTO, REQUIRE
from patchkit.sandbox.grants import GrantWalk, ReadScope, made
from patchkit.sandbox.mounts import OPEN, MountPlan, MountStep
from patchkit.sandbox.path_states import NONE, RuleMachine
from patchkit.sandbox.profile import FIXED, NEVER, readable
from patchkit.sandbox.run_directory import SHARED_MEMORY, RunDirectory

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from patchkit.globs.rule_patterns import NameGlob
    from patchkit.policy.rules import PermissionRules
    from patchkit.sandbox.choice import SandboxChoice

    Granted = tuple[str, int, str]  # a path, rights of `landlock`, and why

NO_LAYER, LANDLOCK, MOUNTS, SEATBELT = "none", "landlock", "mounts", "seatbelt"
_PATH = 0x200000 | os.O_CLOEXEC  # O_PATH
_SHOWN = 3  # directories and files that a sentence names
_TRIES = 30  # of walks, with so many seconds between them, until nothing changes during one
_PAUSE = 0.01

_without_mounts: list[str] = []  # why this machine has none, once that is known


class SandboxedRun:
    """One command. `child` is made by `prepare`; `data` and `lacks` describe it; `close` when it has ended."""

    def __init__(
        self,
        choice: SandboxChoice,
        rules: PermissionRules,
        root: str,
        agent: bool,
        fold: Callable[[str], str] = str,
        protected: Sequence[str] = (),
    ) -> None:
        self.choice = choice
        self.root = root
        self.abi = landlock.version()
        self.layer = NO_LAYER
        self.lacks: list[str] = []
        self._rules = rules
        self._agent = agent
        self._protected = [*protected]
        self._forbidden = _always(root, protected)
        self._machine = RuleMachine(rules, agent, fold, self._forbidden)
        self._directory: RunDirectory | None = None
        self._trouble = ""  # why there is no such directory
        self._left_out: list[str] = []  # of what the settings add
        self._walk: GrantWalk | None = None
        self._child: Sandbox | None = None

    # -- before it runs --------------------------------------------------------------------------

    def environment(self, given: dict[str, str]) -> dict[str, str]:
        """The environment of the command: its own directory for temporary files, and for what patchkit keeps."""
        try:
            self._directory = RunDirectory()
        except OSError as error:
            self._trouble = f"there is no directory for temporary files: {error.strerror}"
            return given
        tmp = self._directory.path
        return {**given, "TMPDIR": tmp, "XDG_STATE_HOME": f"{tmp}/state", SANDBOXED: trust_directory() or "1"}

    def prepare(self, cwd: str, environment: dict[str, str], commands: str | None) -> Sandbox | None:
        """The restrictions of the child; None where there are none to be had and the mode is 'auto'.

        `environment` is the one before `environment` was asked; `commands` is the directory of our own commands.
        """
        strict = self.choice.mode == REQUIRE
        self._refuse_kernel(strict)
        if self.abi == 0:
            self.lacks = ["nothing is kept: this kernel has no Landlock"]
            return None
        mounts = not _without_mounts and not self._in_shared_memory
        try:
            if self._trouble:
                raise PatchkitError("P673", reason=self._trouble)
            self._child = self._granted(cwd, environment, commands, mounts, strict)
        except PatchkitError as error:
            if strict:
                raise
            self.lacks = [f"nothing is kept: {error.message}"]
            return None
        self.layer = MOUNTS if mounts else LANDLOCK
        self.lacks = list(self._lacking())
        return self._child

    def seatbelt(self) -> list[str]:
        """The words before a command on macOS, where it was never tried; raises P673."""
        from patchkit.sandbox.seatbelt import (
            PROGRAM,
            in_order,  # only macOS needs it
            profile,
        )

        self.layer = SEATBELT
        self.lacks = ["it was never tried on macOS", "files can be read by another name, a hard link"]
        writable = [*self._own, *map(os.path.realpath, self.choice.write)]
        ordered = in_order(self._rules, self._agent, self._forbidden)
        return [PROGRAM, "-p", profile(ordered, writable, self.choice.network == ALL_NETWORK)]

    def without_mounts(self, reason: str) -> None:
        """Takes note that this machine has no mounts for users; `prepare` again."""
        _without_mounts.append(reason)
        self._left_out.clear()
        self._close_child()

    def _refuse_kernel(self, strict: bool) -> None:
        if strict and self.abi < landlock.NEEDED:
            raise PatchkitError("P670", needed=landlock.WHOLE, abi=self.abi)
        if strict and self.abi < landlock.WHOLE:
            raise PatchkitError("P674", what=_PROCESSES, abi=self.abi)

    def _granted(
        self, cwd: str, environment: dict[str, str], commands: str | None, mounts: bool, strict: bool
    ) -> Sandbox:
        network = self.choice.network == ALL_NETWORK
        scope = ReadScope()
        for path, rights, _ in self._readable(environment):
            scope.add(path, rights)
        try:
            ruleset, walk = self._walked(scope, network, mounts, strict)
            self._walk = walk
            if walk.steps or walk.watched or self.choice.write:  # else nothing is written by any name
                walk.refuse_names_of([*self._protected, user_settings_file()])
            steps = [*walk.steps, *self._fixed(ruleset, commands, strict)]
        except OSError as error:
            raise PatchkitError("P673", reason=error.strerror or str(error)) from None
        except RecursionError:
            raise PatchkitError("P673", reason="directories are nested too deep") from None
        return Sandbox(ruleset, MountPlan(steps) if mounts else None, network, cwd)

    def _readable(self, environment: Mapping[str, str]) -> Iterator[Granted]:
        """What may be read where the rules do not forbid it."""
        yield self.root, landlock.RUN, "the workspace, as the rules have it"
        yield from readable(environment)
        for path in self.choice.read:
            yield os.path.realpath(path), landlock.RUN, "the user's settings add it"

    def granted(self, environment: Mapping[str, str]) -> Iterator[Granted]:
        """Every path that a command may use, with its rights and why, without what is below another such path.

        `environment` is the command's.
        """
        seen: dict[str, int] = {}
        for path, rights, why in [*self._readable(environment), *self._wanted(None, strict=False)]:
            covered = any(f"{path}/".startswith(f"{above}/") and has | rights == has for above, has in seen.items())
            if not covered and os.path.exists(path):
                seen[path] = rights
                yield path, rights, why

    def _walked(
        self, scope: ReadScope, network: bool, mounts: bool, strict: bool
    ) -> tuple[landlock.Ruleset, GrantWalk]:
        """The rights by a walk during which nothing was moved; raises P673 where there is none, and has to be."""
        for left in range(_TRIES - 1, -1, -1):
            ruleset = landlock.Ruleset(self.abi, network)
            walk = GrantWalk(self._machine, scope, _granting(ruleset), mounts)
            walk.linked = None if strict else []
            try:
                walk.run()
                stable = walk.is_stable
            except BaseException:
                ruleset.close()
                raise
            if stable:
                return ruleset, walk
            if not left and not strict:
                self._left_out.append("forbidden files may be read that other processes moved while it was set up")
                return ruleset, walk
            ruleset.close()
            time.sleep(_PAUSE)
        raise PatchkitError("P673", reason="another process changes directories that it may write all the time")

    def _added(self, strict: bool) -> Iterator[str]:
        """What the user's settings add to what may be written, without what our own state or a log is in."""
        kept = [os.path.realpath(path) for path in (*_states(), *self._protected)]
        for path in self.choice.write:
            real = os.path.realpath(path).rstrip("/")
            found = next((each for each in kept if f"{each}/".startswith(f"{real}/")), None)
            if found is None:
                yield path
                continue
            reason = f"'{path}' is not made writable: it has '{found}', which patchkit keeps; name directories in it"
            if strict:
                raise PatchkitError("P673", reason=reason)
            self._left_out.append(reason)

    def _fixed(self, ruleset: landlock.Ruleset, commands: str | None, strict: bool) -> Iterator[MountStep]:
        """Grants what does not depend on rules; returns what of it is writable."""
        for path, rights, _ in self._wanted(commands, strict):
            writes = rights & landlock.WRITE == landlock.WRITE
            real = os.path.realpath(path) if writes else path  # mounts are made at real paths
            try:
                handle = os.open(real, _PATH)
            except OSError:
                continue
            try:
                status = os.fstat(handle)
                ruleset.grant(handle, rights, stat.S_ISDIR(status.st_mode))
            finally:
                os.close(handle)
            if writes:
                yield MountStep(real, OPEN, (status.st_dev, status.st_ino), stat.S_ISDIR(status.st_mode))

    def _wanted(self, commands: str | None, strict: bool) -> Iterator[Granted]:
        """What is granted whatever the rules say."""
        package = os.path.dirname(os.path.abspath(patchkit.__file__))
        trusted = trust_directory()
        for paths, rights, why in FIXED:
            for path in paths.split():
                yield path, rights, why
        for path in self._added(strict):
            yield path, landlock.RUN | landlock.WRITE, "the user's settings add it"
        for path in self._own:
            yield path, landlock.RUN | landlock.WRITE, "temporary files of this run"
        if trusted:
            yield trusted, landlock.READ, "which rules are trusted"
        if commands:
            yield commands, landlock.RUN, "the commands of patchkit"
        yield package, landlock.READ, "the modules of patchkit"
        yield os.path.dirname(package), landlock.LIST, "Python looks for patchkit there"

    @property
    def _in_shared_memory(self) -> bool:
        """Whether the workspace would not be seen where that memory is private."""
        return f"{self.root}/".startswith(f"{SHARED_MEMORY}/")

    @property
    def _own(self) -> Sequence[str]:
        return (self._directory.path,) if self._directory is not None else ()

    # -- what it is ------------------------------------------------------------------------------

    def _lacking(self) -> Iterator[str]:
        if self.abi < 2:
            yield "files cannot be moved from one directory to another"
        if self.abi < landlock.NEEDED and self.layer == LANDLOCK:  # with mounts they are read-only
            yield "files that may not be written can be emptied"
        if self.abi < landlock.WHOLE:
            yield _PROCESSES
        walk = self._walk
        assert walk is not None
        for error in (walk.linked or [])[:_SHOWN]:
            yield error.message
        yield from self._left_out
        if self.layer == LANDLOCK:
            yield "modes, owners and times of files can be changed"
            yield "no process pools and no terminals"
            if self._in_shared_memory:
                yield f"mounts: the workspace is in '{SHARED_MEMORY}', which is private where there are mounts"
            yield from self._named("no new files directly in", walk.frozen)
            yield from self._named("new files cannot be read directly in", walk.unread)

    def _named(self, sentence: str, directories: dict[str, str]) -> Iterator[str]:
        """The sentence for the first directories, and for how many more, each with what is forbidden in it."""
        for directory, held in sorted(directories.items())[:_SHOWN]:
            yield f"{sentence} '{self._shown(directory)}': it has '{self._shown(held)}'"
        if len(directories) > _SHOWN:
            yield f"{sentence} {len(directories) - _SHOWN} more directories"

    def _shown(self, path: str) -> str:
        return os.path.relpath(path, self.root) if f"{path}/".startswith(f"{self.root}/") else path

    def data(self) -> dict[str, object]:
        """What `--json` says about it."""
        network = self.choice.network if self.layer != NO_LAYER else ALL_NETWORK
        return {"layer": self.layer, "abi": self.abi, "network": network, "lacks": self.lacks}

    # -- afterwards ------------------------------------------------------------------------------

    def notes(self, status: int) -> list[Note]:
        """What has to be said about a run that has ended with a status."""
        found: list[Note] = []
        if status and self.layer != NO_LAYER and not self._may_write():
            found.append(Note("P963"))
        if self.choice.mode == AUTO and self.lacks:
            found.append(Note("P964", layer=self.layer, lacks="; ".join(self.lacks)))
        if self._walk is not None and self.layer != NO_LAYER:
            names = [f"'{self._shown(path)}'" for path in made(self._walk)]
            if names:
                more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
                found.append(Note("P965", files=", ".join(names[:_SHOWN]) + more))
        return found

    def _may_write(self) -> bool:
        """Whether the rules allow to write anything in the workspace."""
        here = self._machine.at([name for name in self.root.split("/") if name])
        return here.writes or here.below_writes != NONE

    def close(self) -> None:
        """Removes the directory of the run."""
        self._close_child()
        if self._directory is not None:
            self._directory.remove()

    def _close_child(self) -> None:
        if self._child is not None:
            self._child.close()
            self._child = None


_PROCESSES = "signals reach other processes"


def _granting(ruleset: landlock.Ruleset) -> Callable[[int, int, bool, str], None]:
    return lambda handle, rights, is_directory, path: ruleset.grant(handle, rights, is_directory)


def _always(root: str, protected: Sequence[str]) -> list[PermissionRule]:
    """The rules without exception: our own state, the audit log, and the user's secrets."""
    found = []
    for path in dict.fromkeys(each for state in _states() for each in (state, os.path.realpath(state))):
        found += [
            _forbidden(effect, literal(names_of(path)), "the state of patchkit", path) for effect in (READ, WRITE)
        ]
    for path in (*protected, os.path.join(root, INSIDE)):
        found.append(_forbidden(WRITE, literal(names_of(path)), "what is recorded about calls", path))
    prefix, package = map(os.path.realpath, (sys.prefix, os.path.dirname(patchkit.__file__)))
    for path in [prefix] if package.startswith(f"{prefix}/") else [prefix, package]:
        found.append(_forbidden(WRITE, literal(names_of(path)), "what runs patchkit, without a sandbox", path))
    home = literal(names_of(os.path.realpath(os.path.expanduser("~"))))
    for effect, patterns, why in NEVER:
        for text in patterns.split():
            found.append(_forbidden(effect, [*home, *map(glob, text.split("/"))], why, f"~/{text}"))
    return found


def _states() -> list[str]:
    """Where patchkit keeps its state: a sandboxed one besides that of its caller, where trust is kept."""
    return [path for path in dict.fromkeys([state_home(), os.path.dirname(trust_directory())]) if path]


def _forbidden(effect: str, parts: list[NameGlob], why: str, shown: str) -> PermissionRule:
    """A rule for a path and all below it."""
    return PermissionRule(effect, "", Pattern([*parts, ANY]), DENY, why, shown)
