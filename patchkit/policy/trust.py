"""Which rules of projects a person has trusted: by their content, in the user's state directory.

Takes a settings file; returns whether its rules may loosen what holds by default. Rules that come with a repository can
always tighten. Trust is for the rules as they are: a change of them needs trust again, a change of anything else in the
same file does not. What is trusted is kept outside of every project, one small file each, and no tool writes there.
"""

from __future__ import annotations

import os
from json import dumps, loads

from patchkit.core.workspace import make, open_kept, root_id, sha256
from patchkit.policy import upwards
from patchkit.policy.settings import SettingsFile

SANDBOXED = "PATCHKIT_SANDBOXED"  # the variable of a sandboxed command that says where trust is kept
_REPORTED, _APPROVED, _ASKED = "reported-", "approved-", "asked-"
SCOPES = ("session", "directory", "always")  # how long an approval holds


def state_home() -> str:
    """Where all is kept that is kept outside of projects; '' where the user has no home."""
    base = os.environ.get("XDG_STATE_HOME") or ""
    if not base.startswith("/"):
        user = os.path.expanduser("~")
        base = f"{user}/.local/state" if user.startswith("/") else ""
    return f"{base}/patchkit" if base else ""


def trust_directory() -> str:
    """Where trust is kept; '' where the user has no home. In a sandbox it is where it was outside, the state is not."""
    outside = os.environ.get(SANDBOXED) or ""
    base = state_home()
    return outside if outside.startswith("/") else f"{base}/trusted" if base else ""


def is_trusted(source: SettingsFile) -> bool:
    """Whether a person trusted these rules, or everything below a directory above them."""
    base = trust_directory()
    if not base or not os.path.isdir(base):
        return False
    if os.path.lexists(f"{base}/{_digest(source)}"):
        return True
    return any(os.path.lexists(f"{base}/{_below(each or '/')}") for each in upwards(source.directory))


def trust(source: SettingsFile) -> None:
    """Trusts the rules of a file as they are now; raises OSError."""
    _write(_digest(source), source.path)


def trust_below(directory: str) -> None:
    """Trusts all rules in a directory and below it; raises OSError."""
    _write(_below(os.path.realpath(directory)), os.path.realpath(directory))


def distrust(source: SettingsFile) -> None:
    """Takes trust back, also that of earlier versions of the file and of the directory; raises OSError."""
    base = trust_directory()
    for name in os.listdir(base) if base and os.path.isdir(base) else []:
        if _kept(name) in (source.path, source.directory):
            os.unlink(f"{base}/{name}")


def approve(effect: str, what: str, scope: str, root: str, session: str = "") -> None:
    """Approves a command, word for word, or a change of a file: in a session, in a workspace, or for good."""
    where = {"session": session, "directory": root}.get(scope, "")
    text = dumps({"effect": effect, "what": what, "scope": scope, "where": where}, sort_keys=True)
    _write(_APPROVED + sha256(text.encode("utf-8", "surrogateescape")).hexdigest(), text)


def approvals(root: str, session: str = "") -> list[dict[str, str]]:
    """What is approved here and now, with the scopes."""
    here = {"session": session or os.environ.get("PATCHKIT_SESSION") or None, "directory": root, "always": ""}
    return [each for each in _approvals().values() if here.get(each["scope"]) == each["where"]]


def all_approvals() -> list[dict[str, str]]:
    """What is approved anywhere, in any session."""
    return [*_approvals().values()]


def remember_session(root: str, session: str | None) -> None:
    """Keeps in which session of a workspace something was asked for last: a person may approve it there."""
    if session and session != _kept(_ASKED + root_id(root)):
        try:
            _write(_ASKED + root_id(root), session)
        except OSError:
            pass  # the person has to name the session


def asking_session(root: str) -> str:
    """The session that a person means: that of the environment, else the one that asked for something last."""
    return os.environ.get("PATCHKIT_SESSION") or _kept(_ASKED + root_id(root)) or ""


def clear_approvals() -> int:
    """Ends every approval; returns how many there were; raises OSError."""
    found = _approvals()
    for name in found:
        os.unlink(f"{trust_directory()}/{name}")
    return len(found)


def _approvals() -> dict[str, dict[str, str]]:
    base = trust_directory()
    found = {}
    for name in sorted(os.listdir(base)) if base and os.path.isdir(base) else []:
        if name.startswith(_APPROVED):
            try:
                kept = loads(_kept(name))
                found[name] = {key: str(kept[key]) for key in ("effect", "what", "scope", "where")}
            except (ValueError, KeyError, TypeError):
                continue  # nothing of ours
    return found


def _kept(name: str) -> str:
    """What a small file of the directory says; '' where it cannot be read."""
    try:
        opened = open_kept(f"{trust_directory()}/{name}")
        with os.fdopen(opened, encoding="utf-8", errors="surrogateescape") as file:
            return file.read()
    except OSError:
        return ""


def is_first_report(source: SettingsFile) -> bool:
    """Whether it was not reported before that these rules are not trusted; it counts as reported afterwards."""
    name = _REPORTED + _digest(source)
    try:
        if os.path.lexists(f"{trust_directory()}/{name}"):
            return False
        _write(name, source.path)
    except OSError:
        pass  # it is reported again next time
    return True


def _digest(source: SettingsFile) -> str:
    """The name of the file that says that these rules are trusted."""
    rules = dumps(source.table("permissions"), sort_keys=True, default=str)
    commands = source.table("apply")  # which run with every change
    rules += dumps(commands, sort_keys=True, default=str) if commands else ""
    return sha256(f"{source.path}\0{rules}".encode("utf-8", "surrogateescape")).hexdigest()


def _below(directory: str) -> str:
    return f"below-{root_id(directory)}"


def _write(name: str, content: str) -> None:
    base = trust_directory()
    if not base:
        raise OSError(0, "there is no home directory")
    make(base)
    writing = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
    with os.fdopen(open_kept(f"{base}/{name}", writing), "w", encoding="utf-8", errors="surrogateescape") as file:
        file.write(content)
