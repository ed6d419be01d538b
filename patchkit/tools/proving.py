"""Prove a run: format what it changed, verify it, and put it into a commit of git, all before it counts.

Takes what a caller asked for and what trusted settings ask for; gives a proof for a Workspace, which calls it when
every name of a run is new. Commands run as those of `exec` do: in the root, within its limits, in its sandbox. Where
one fails, the proof raises P648, and the transaction makes every name old again. What a command changes in files of the
run belongs to the run. A commit of git is the last step (`git_commit`).
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from tempfile import TemporaryDirectory

from patchkit.applying import load_all
from patchkit.core.changes import FILES, FileChange, Options, Plan, RewrittenChange, ancestors
from patchkit.core.workspace.root import Workspace
from patchkit.core.workspace.transaction import IN_GIT, Transaction
from patchkit.diffs.diff import FileDiff, body
from patchkit.errors import Note, PatchkitError
from patchkit.globs.patterns import ignore_rules, level
from patchkit.history import CommitRecords, run_id
from patchkit.history.git_runs import TRAILER, commit_of, git, literal
from patchkit.policy.commands import of_command
from patchkit.policy.deeds import Deed, Deeds
from patchkit.policy.permissions import Judge, refuse
from patchkit.policy.settings import SettingsFile, settings
from patchkit.policy.trust import is_trusted
from patchkit.processes.running import RunRequest, run
from patchkit.search.walk import DirectoryWalk, SearchBudget, rules_above
from patchkit.tools.declaration import Caller, ToolCall
from patchkit.tools.exec import MOST_TIMEOUT, run_line
from patchkit.tools.registry import effect_and_name, named
from patchkit.values import Record

# The commit is made with an index of its own: what the user has staged stays staged, and the user's hooks and signing
# are obeyed. Where git refuses, P649 is raised and the run is taken back. The run's id is a trailer of the message.
_LONGEST = 3600  # seconds that hooks may take
_ASKS_NOTHING = {"GIT_TERMINAL_PROMPT": "0", "GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C"}
_UNDER_WAY = ("MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "rebase-merge", "rebase-apply", "BISECT_LOG")
_TAIL = 4000  # bytes of what git said


class GitCommit:
    """The commit of one run; `message` is '' where the user gives none."""

    def __init__(self, files: Workspace, message: str) -> None:
        self._files = files
        self._where = files.real
        self._message = message
        self._names: list[str] = []
        self._named: list[str] = []  # those that say all; git itself removes what is in the place of a new file
        self._head = ""  # the commit before; '' in a repository without any

    def look(self, plan: Plan) -> None:
        """Raises where the files of the plan cannot be committed alone."""
        status, said = git(self._where, "rev-parse", "--is-inside-work-tree")
        if status or said.strip() != "true":
            raise PatchkitError("P649", reason="the workspace is not in a work tree of git")
        for name in _UNDER_WAY:
            path = git(self._where, "rev-parse", "--git-path", name)[1].rstrip("\n")
            if os.path.lexists(os.path.join(self._where, path)):
                raise PatchkitError("P649", reason=f"git is in the middle of something else ('{name}' exists)")
        self._names = [change.before.name for change in plan.effective]
        left = {change.before.name for change in plan.effective if change.after is not None}
        above = {parent for name in left for parent in ancestors(name)}
        self._named = [name for name in self._names if name not in above and left.isdisjoint(ancestors(name))]
        words = ("status", "--porcelain", "-z", "--ignored", "--untracked-files=all", "--no-renames", "--")
        status, said = git(self._where, *words, *literal(self._names))
        if status:
            raise PatchkitError("P649", reason=said.strip()[:_TAIL])
        if said:
            name = said.split("\0")[0]
            raise PatchkitError("P649", file=name[3:], reason=f"'{name[3:]}' has changes that are not committed")
        status, said = git(self._where, "rev-parse", "--verify", "-q", "HEAD")
        self._head = said.strip() if status == 0 else ""

    def make(self, plan: Plan, transaction: Transaction, call: ToolCall) -> str:
        """Makes the commit, and returns its id."""
        observer = self._files.observer
        recorder = observer.recorder if isinstance(observer, CommitRecords) else None
        name = recorder.reserve() if recorder is not None else run_id(os.getpid())
        transaction.record(f"{IN_GIT} {name}")
        try:
            self._commit(name, call)
            transaction.rewritten(plan)  # a hook may have changed files
            made = git(self._where, "rev-parse", "HEAD")[1].strip()
            transaction.made = True  # the commit is what counts: whatever fails from here on, the run is there
            return made
        except BaseException:
            if not transaction.made:
                self._take_back(name)
            raise

    def _commit(self, name: str, call: ToolCall) -> None:
        with TemporaryDirectory(prefix="patchkit-") as own:
            index = {"GIT_INDEX_FILE": f"{own}/index"}
            if self._head:
                self._checked(*git(self._where, "read-tree", "HEAD", **index))
            self._checked(*git(self._where, "add", "-A", "--", *literal(self._named), **index))
            words = ("commit", "-q", "-m", self._message or self._usual(), "-m", f"{TRAILER}: {name}")
            self._run(*words, cancelled=call.caller.cancelled, **index)
        call.refuse_cancelled()
        self._run("reset", "-q", "--", *literal([*self._names, *self._added_by_hooks()]))

    def _added_by_hooks(self) -> list[str]:
        """Other files that hooks put into the commit, but for those that the user has staged: they stay as they are."""
        words = ("--name-only", "-z", "--relative")
        made = git(self._where, "diff-tree", "-r", "--root", "--no-commit-id", *words, "HEAD")[1].split("\0")
        staged = git(self._where, "diff", "--cached", *words, self._head)[1].split("\0") if self._head else []
        known = {"", *self._names, *staged}
        return [name for name in made if name not in known]

    def _run(self, *words: str, cancelled: Callable[[], bool] | None = None, **env: str) -> None:
        """Runs git, which ends before anything is taken back, also where a signal comes while it starts."""
        said: list[bytes] = []
        request = RunRequest(["git", *words], self._where, {**os.environ, **_ASKS_NOTHING, **env}, _LONGEST)
        request.cancelled, request.passed = cancelled, [self._files.lend_lock()]
        ran = run(request, said.append)
        if cancelled is None or not cancelled():
            self._checked(ran.status, b"".join(said).decode("utf-8", "replace"))

    def _checked(self, status: int, said: str) -> None:
        if status:
            raise PatchkitError("P649", reason="git commit failed", output=said.strip()[-_TAIL:])

    def _usual(self) -> str:
        first, *more = self._names
        return f"Change {first}" + (f" and {len(more)} more file{'s' if len(more) > 1 else ''}" if more else "")

    def _take_back(self, name: str) -> None:
        """Takes the commit off the branch again, where it was made and is still the latest."""
        made = commit_of(self._where, name)
        if made and self._head:
            git(self._where, "update-ref", "HEAD", self._head, made)
        elif made:
            git(self._where, "update-ref", "-d", "HEAD", made)
        if made:
            git(self._where, "reset", "-q", "--", *literal(self._names))


_TAIL_LINES, _TAIL_BYTES = 40, 8_000  # of the output of a command that failed
_MOST_NAMED = 10  # files that a command made or changed
_MOST_VISITED = 50_000
_TICK = 20_000_000  # nanoseconds by which the time of a change may lag behind the clock


class ProofCommand(Record):
    """One command of a proof."""

    kind: str  # 'format' or 'verify'
    text: str
    glob: str = ""  # the pattern of the files that it is for, '' for all
    is_set: bool = False  # settings name it, and not the call

    @property
    def script(self) -> str:
        """The text as a shell runs it: the files are its arguments, so that no name needs quotes."""
        return self.with_files('"$@"')

    def with_files(self, words: str) -> str:
        """The text with these words in the place of the files, whatever quotes are around that."""
        for place in (f'"{FILES}"', f"'{FILES}'", FILES):
            if place in self.text:
                return self.text.replace(place, words)
        return self.text

    def of(self, names: list[str]) -> list[str]:
        """The names that it is for."""
        if not self.glob:
            return names
        rules = ignore_rules(self.glob)
        return [name for name in names if rules.ignores_file(name)]


def asked_for(options: Options) -> list[ProofCommand]:
    """The commands that the options name."""
    made = [ProofCommand("format", text) for text in options.format]
    return made + [ProofCommand("verify", text) for text in options.verify]


def set_commands(root: str, notes: list[Note] | None = None) -> list[ProofCommand]:
    """The commands that settings name in `[apply]`: the user's own, and those of a project that a person trusts."""
    known = settings(root)
    nearest = known.source("apply")
    if nearest is not None and not is_trusted(nearest):
        if notes is not None:
            notes.append(Note("P987", file=nearest.shown))
        nearest = None
    source = nearest or (known.user if known.user is not None and known.user.table("apply") else None)
    return _read(source) if source is not None else []


def _read(source: SettingsFile) -> list[ProofCommand]:
    table = source.table("apply") or {}
    for key in table:
        if key not in ("format", "verify"):
            raise source.unknown(f"apply.{key}", ("format", "verify"))
    return [
        ProofCommand(kind, text, glob, is_set=True)
        for kind in ("format", "verify")
        for glob, given in _by_glob(table.get(kind, []))
        for text in _texts(source, kind, given)
    ]


def _by_glob(given: object) -> list[tuple[str, object]]:
    return list(given.items()) if isinstance(given, dict) else [("", given)]


def _texts(source: SettingsFile, kind: str, given: object) -> list[str]:
    texts: list[str] = given if isinstance(given, list) else [given]  # type: ignore[list-item]  # checked below
    if not all(isinstance(each, str) and each.strip() for each in texts):
        allowed = 'a command, a list of them, or a table of them by pattern, such as { "*.py" = "ruff format {files}" }'
        raise source.wrong(f"apply.{kind}", given, allowed)
    return texts


def command_deeds(deeds: Deeds, commands: list[ProofCommand], commits: bool) -> list[Deed]:
    """What the commands of a run would do, for the rules: the same as if they were sent to `exec`."""
    judged = [each.with_files("'{files}'") for each in commands]  # names of the run, which it may write
    if commits:
        judged.append("git commit")  # which runs hooks
    found = [deed for text in judged for deed in of_command(deeds, text, ".")]
    for deed in found:
        deed.tool = deed.tool or "Bash"
    return found


def deeds_of_proof(deeds: Deeds, options: Options, changes: list[Deed]) -> list[Deed]:
    """What the commands would do that the options ask for, and that settings name for the files of these changes."""
    names = [change.recorded for change in changes]
    by_settings = [each for each in set_commands(deeds.files.real) if "?" in names or each.of(names)]
    return command_deeds(deeds, [*asked_for(options), *by_settings], options.commit is not None)


def prepare(call: ToolCall, options: Options, by_settings: bool = True) -> None:
    """Gives the workspace of a call its proof, where the options ask for anything, or the settings do."""
    if options.check:
        return
    commands = [*asked_for(options), *(set_commands(call.files.real, call.notes) if by_settings else ())]
    if commands or options.commit is not None:
        refuse_unfit(options)
        call.files.proof = Proof(call, commands, options)


def call_for(files: Workspace, caller: Caller, judge: Judge | None = None) -> ToolCall:
    """A call of `exec` for a run of the command line or of the library."""
    return ToolCall(named("Bash"), {}, files, caller, judge=judge)


def refuse_unfit(options: Options) -> None:
    """Raises for options that a proof does not go with."""
    if options.reading.one_by_one:
        raise PatchkitError("P601", option="dialect", given=options.dialect, allowed="safe, where a run is proved")
    if options.keep_links:
        raise PatchkitError("P601", option="keep-links", given="given", allowed="not given, where a run is proved")
    for kind, texts in (("format", options.format), ("verify", options.verify)):
        if not all(text.strip() for text in texts):
            raise PatchkitError("P601", option=kind, given="", allowed="a command")
    if options.commit is not None and not isinstance(options.commit, str):
        raise PatchkitError("P601", option="commit", given=options.commit, allowed="a text")
    if type(options.verify_timeout) is not int or options.verify_timeout < 1:
        allowed = "a whole number of seconds of at least 1"
        raise PatchkitError("P601", option="verify-timeout", given=options.verify_timeout, allowed=allowed)
    if options.verify_timeout > MOST_TIMEOUT:
        raise PatchkitError("P643", timeout=options.verify_timeout, most=MOST_TIMEOUT)


class Proof:
    """The commands of one run, and what came of them: `notes` is for its report."""

    def __init__(self, call: ToolCall, commands: list[ProofCommand], options: Options) -> None:
        self._call = call
        self._files = call.files
        self._commands = commands
        self._timeout = options.verify_timeout
        self._commit = GitCommit(call.files, options.commit) if options.commit is not None else None
        self._due: list[tuple[ProofCommand, list[str]]] = []

    def begin(self, plan: Plan) -> bool:
        changes = plan.effective
        if not changes:
            return False
        left = [change.before.name for change in changes if change.after is not None]
        touched = [change.before.name for change in changes]
        self._due = [
            (each, names) for each in self._commands if (names := each.of(left if each.kind == "format" else touched))
        ]
        if not (self._due or self._commit is not None):
            return False
        self._refuse_unallowed()
        load_all(plan)  # a command may remove what the old content was saved as
        if self._commit is not None:
            self._commit.look(plan)
        return True

    def _refuse_unallowed(self) -> None:
        """Raises for commands that the rules do not allow.

        What a model asks for by the arguments of a change needs a rule, also where a person approves its calls: a
        person who approves changes has not approved commands, nor has a server that does not offer Bash.
        """
        caller, judge = self._call.caller, self._call.judge
        due = [each for each, _ in self._due]
        if judge is not None:
            refuse(judge.judge("Bash", command_deeds(judge.deeds, due, self._commit is not None)), caller.agent)
        asked = [each for each in due if not each.is_set]
        if caller.by_call and (asked or self._commit is not None):
            judge = judge or Judge(self._files, settings(self._files.real), effect_and_name, agent=True)
            refuse(judge.judge("Bash", command_deeds(judge.deeds, asked, self._commit is not None)), agent=True)

    def __call__(self, plan: Plan, run: Transaction) -> None:
        by: dict[str, str] = {}
        for command, names in sorted(self._due, key=lambda due: due[0].kind):  # 'format' comes before 'verify'
            self._run(command, names, plan)
            for change in run.rewritten(plan):
                by[change.before.name] = command.text
        for name, text in by.items():
            change = plan.changes[name]
            plan.notes.append(Note("P991", file=change.path, command=text, diff=rewriting(change)))
        self._files.remarks = [f"{each.kind}={each.text}" for each, _ in self._due]
        self._files.remarks += [f"rewritten={name}" for name in by]
        if self._commit is not None:
            commit = self._commit.make(plan, run, self._call)
            self._files.remarks.append(f"commit={commit}")
            plan.notes.append(Note("P992", commit=commit[:12]))

    def _run(self, command: ProofCommand, names: list[str], plan: Plan) -> None:
        started = time.time_ns()
        tail = Tail()
        words = [f"./{name}" for name in names]  # a name may begin with a dash
        ran = run_line(self._call, command.script, self._timeout, tail.take, words)
        if ran.status == 0 and not ran.timed_out:
            return
        self._call.refuse_cancelled()
        how = f"status {ran.status}"
        if ran.signal or ran.timed_out:
            how = f"ended after {self._timeout} s" if ran.timed_out else f"ended by {ran.signal}"
        made = self._made_since(started, plan)
        ran_data = {"command": command.text, "exit_code": ran.status, "timed_out": ran.timed_out, "output": tail.text}
        facts: dict[str, object] = {"command": command.text, "how": how, "output": tail.text, "ran": ran_data}
        if made:
            ran_data["left"] = made
            more = f" and {len(made) - _MOST_NAMED} more" if len(made) > _MOST_NAMED else ""
            facts["made"] = ", ".join(f"'{name}'" for name in made[:_MOST_NAMED]) + more
        raise PatchkitError("P648", **facts)

    def _made_since(self, moment: int, plan: Plan) -> list[str]:
        """The files that are none of the run and were made or changed since a moment, but for ignored ones."""
        found = []
        directories = self._files.directories
        budget = SearchBudget(visits=_MOST_VISITED, may_fork=False)
        rules = rules_above(directories, (), budget.late)
        walk = DirectoryWalk(directories, budget, (), level("**", hidden=True), rules)
        try:
            for folder in walk:
                for entry in folder.entries:
                    name = folder.path + entry.name
                    if entry.is_dir(follow_symlinks=False) or name in plan.changes or ".patchkit-" in entry.name:
                        continue
                    status = entry.stat(follow_symlinks=False)
                    if max(status.st_ctime_ns, status.st_mtime_ns) >= moment - _TICK:
                        found.append(name)
        except OSError:
            pass  # a file is gone meanwhile; what is named is only for a person to look at
        finally:
            walk.close()
        return sorted(found)


class Tail:
    """The end of an output."""

    def __init__(self) -> None:
        self._kept = b""

    def take(self, piece: bytes) -> None:
        self._kept = (self._kept + piece)[-2 * _TAIL_BYTES :]

    @property
    def text(self) -> str:
        lines = self._kept[-_TAIL_BYTES:].decode("utf-8", "replace").splitlines()
        return "\n".join(lines[-_TAIL_LINES:])


def rewriting(change: FileChange) -> str:
    """What a command changed in a file of the run, as a diff: the next edit is made for the text that it left."""
    if not isinstance(change, RewrittenChange):
        return ""
    sides = [b"".join(each) if each is not None else b"" for each in (change.written, change.after)]
    if b"\0" in sides[0] + sides[1]:
        return ""
    return body(FileDiff(("", ""), ("", ""), *sides)).decode("utf-8", "replace")
