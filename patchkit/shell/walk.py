"""Walk the structure of a script and find the one apply_patch call in it.

`evaluate` takes a script with its shell, the directory it starts in and an environment; gives the Verdict when the
script is that call and nothing else. It raises PatchkitError for a call that cannot be trusted, and NotOurs for a
script that is something else or something more. The word is looked for first, then the text is read, and only a
script with the word where it may be a command reaches the grammar. The walk knows sequences, lists, pipelines and
groups; every node it does not know ends it. A shell inside the script is walked in the same way. Nothing is run.
"""

from __future__ import annotations

import os
import re
from bisect import bisect_left

from patchkit.errors import Note, PatchkitError
from patchkit.shell import tree
from patchkit.shell.heredoc import body_text
from patchkit.shell.inventory import by_grammar
from patchkit.shell.lexer import read
from patchkit.shell.mention import CALL_NAMES, mentions
from patchkit.shell.shells import OPTION_NAMES, Invocation, Shell, read_argv, read_stdin, shell_of, without_wrappers
from patchkit.shell.tokens import MaskedScript, Piece, Token, check_order, outermost
from patchkit.shell.verdict import NotOurs, Then, Trailing, Verdict, split_options
from patchkit.values import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tree_sitter import Node


# -- the directory a script is in, and the one `cd` takes it to ------------------------------------
# Reads the file system, for a `cd` to a directory that is not there fails and the rest of the script means something
# else. Shells remember the path they came by, so `..` leads back over a symbolic link; by which path they came at first
# is not always known, and then all possible ones must agree.


_LONGEST = 3000  # beyond this the shells' own buffers begin to matter


class ShellDirectory(Record):
    """A directory, as the paths by which the shell may know it; the first is the one to show."""

    paths: list[str]
    search: bool  # whether CDPATH is set

    @property
    def path(self) -> str:
        return self.paths[0]


def start(cwd: str, env: dict[str, str]) -> ShellDirectory:
    """The directory a shell starts in; refuses a directory that is not there."""
    try:
        path = cwd if os.path.isabs(cwd) else os.path.join(os.getcwd(), cwd)
    except OSError:  # this process's own directory is gone
        path = ""
    if not _can_enter(path):
        raise PatchkitError("P521", path=cwd)
    # Taking '..' out of the text would be wrong after a symbolic link: the system follows the link first.
    path = os.path.realpath(path) if ".." in path.split("/") else os.path.normpath(path)
    paths = [path, os.path.realpath(path)]
    known = env.get("PWD", "")
    if known.startswith("/") and _can_enter(known) and os.path.samefile(known, path):
        paths.append(known)
    return ShellDirectory([*dict.fromkeys(paths)], bool(env.get("CDPATH")))


def change(directory: ShellDirectory, path: str, physical: bool = False) -> ShellDirectory:
    """The directory after `cd path`; refuses what fails, searches elsewhere or cannot be known."""
    if not path or len(path) > _LONGEST:
        raise PatchkitError("P512", path=path)
    if directory.search and not path.startswith("/") and path.split("/")[0] not in (".", ".."):
        raise PatchkitError("P517", what="CDPATH")
    if physical:
        # Asked of the system as it is written: realpath forgives a missing part.
        whole = os.path.join(directory.path, path)
        found = [os.path.realpath(whole) if _can_enter(whole) else ""]
    else:
        found = [_steps(old, path) for old in directory.paths]
    if not all(_can_enter(new) for new in found) or len({os.path.realpath(new) for new in found}) != 1:
        raise PatchkitError("P512", path=path)
    return ShellDirectory([*dict.fromkeys(found)], directory.search)


def inherited(directory: ShellDirectory) -> ShellDirectory:
    """The directory as a shell started from there knows it: whether it learns the path it came by is not known."""
    paths = dict.fromkeys([*directory.paths, os.path.realpath(directory.path)])
    return ShellDirectory([*paths], directory.search)


def _steps(base: str, path: str) -> str:
    """Goes from `base` along `path`, each part of which must be a directory now; '' when one is not."""
    at = "/" if path.startswith("/") else base
    for part in path.split("/"):
        if part in ("", "."):
            continue
        at = os.path.dirname(at.rstrip("/")) or "/" if part == ".." else os.path.join(at, part)
        if len(at) > _LONGEST or not _can_enter(at):
            return ""
    return at


def _can_enter(path: str) -> bool:
    return os.path.isdir(path) and os.access(path, os.X_OK)


# What may follow the call.
#
# Either a command that leaves the call's outcome as it is, given here as a table, or more to do: then the script is cut
# into what a shell has to run before the rest, and the rest, both as they are in the source.
# What a script has done so far: nothing but set up; called, and goes on either way; called, and goes on
# only if that succeeded, or only if it failed; put the call's status into a variable, which makes its own 0; ended.
READY, CALLED, PASSED, FAILED, SAVED, ENDED = "ready", "called", "passed", "failed", "saved", "ended"

# By the status and the operator before it, each command with the status after it.
_ENDINGS = {
    (CALLED, "&&"): {"true": CALLED, ":": CALLED, "exit": FAILED, "exit 0": FAILED, "exit $?": FAILED},
    (CALLED, "||"): {"exit": PASSED, "exit 1": PASSED, "exit $?": PASSED, "false": CALLED},
    (CALLED, ";"): {"exit": ENDED, "exit $?": ENDED},
    (PASSED, "&&"): {"true": PASSED, ":": PASSED, "exit": ENDED, "exit 0": ENDED, "exit $?": ENDED},
    (PASSED, ";"): {"true": PASSED, ":": PASSED, "exit": ENDED, "exit 0": ENDED, "exit $?": ENDED},
    (FAILED, "||"): {"exit": ENDED, "exit 1": ENDED, "exit $?": ENDED, "false": FAILED},
    (FAILED, ";"): {"exit": ENDED, "exit 1": ENDED, "exit $?": ENDED, "false": FAILED},
}
# Names for a status that no shell knows as its own ('status' is zsh's).
_STATUS_NAMES = frozenset("rc ret res result code exit_code exitcode err".split())
_ASKS = ("$?", "${?", "$status", "${status")
# `exit` without a number, also where a variable turns out to be empty, leaves with the status of the call.
_LEAVES = re.compile(r"\b(?:exit|return)\b(?![ \t]+[0-9]+(?![^\s;&|)}]))")


def plain_word(token: Token | None) -> str:
    """A word of an ending: its text, `$?` as it is, '' for everything that is not known."""
    if token is None or token.kind != "word":
        return ""
    return "$?" if _pieces(token) == [("variable", "?")] else token.static() or ""


def _pieces(token: Token | None) -> list[tuple[str, str]]:
    """What a word is made of; the empty text that quotes leave at its ends is not."""
    return [(piece.kind, piece.text) for piece in token.pieces if piece.text] if token else []


def saved_status(token: Token | None) -> str:
    """The variable that `NAME=$?` sets; '' for anything else."""
    pieces = _pieces(token)
    name = pieces[0][1].removesuffix("=") if len(pieces) == 2 else ""
    if pieces != [("text", name + "="), ("variable", "?")] or name.lower() not in _STATUS_NAMES:
        return ""
    return name


def setup_and_rest(masked: MaskedScript, call: int, rest: int) -> tuple[str, str]:
    """The source before the call and from `rest` on, both given as positions in the masked text.

    The bodies of heredocs that belong to the call come after the line that the rest may begin on: they are cut out.
    """
    source, tokens = masked.source, masked.tokens
    before = [token for token in outermost(tokens) if token.start < call and token.kind != "newline"]
    while before and before[-1].kind == "operator" and before[-1].text in ("&&", ";"):
        before.pop()
    begin = next(token.begin for token in tokens if token.start == rest)
    text = source[begin:]
    for token in reversed(tokens):
        body = token.heredoc
        if body is not None and token.start < rest and body.start >= begin:
            text = text[: body.start - begin] + text[body.end - begin :]
    return source[: before[-1].finish] if before else "", text


def asks_for_status(rest: str, operator: str) -> bool:
    """Whether the rest looks at what the call left in the shell, which is not there once it is applied elsewhere."""
    if "pipestatus" in rest.lower() or "$_" in rest or "${_" in rest:
        return True
    return operator == ";" and (any(text in rest for text in _ASKS) or _LEAVES.search(rest) is not None)


def can_be_read(rest: str, shell: Shell) -> bool:
    """Whether the rest is surely a script: a shell that finds an error in it may run nothing, not even the call."""
    masked = read(rest, shell)
    if by_grammar(masked) is None:
        return False
    try:
        check_order(masked.tokens)
    except PatchkitError:
        return False
    return True


# -- the few commands that a script may run around apply_patch, by what they write or set ----------
# Takes words that are known in full; gives the text that `cat`, `echo` and `printf` write, or what `set` turns on, and
# refuses what the shells would read differently.


PRODUCERS = ("cat", "echo", "printf")
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "\\": "\\"}
# A backslash before one of these is an ordinary character for `echo` and `printf` of every shell. The letters
# left out are escapes in at least one of them, or were in one.
_PLAIN_AFTER_BACKSLASH = frozenset("dghijklmopqswyzABDFGHIJKLNOPQRSTVWXYZ .,:;()[]{}<>/|^$*+-=&@#!~_")
_FORMAT = re.compile(r"\\(.?)|%(.?)", re.DOTALL)
_ECHO_OPTION = re.compile(r"-[neE]+")


def produced(words: list[str], shell: Shell, stdin: str | None) -> str:
    """The text that the command writes to its standard output."""
    if words[0] == "cat":
        if words[1:] not in ([], ["-"]) or stdin is None:
            raise PatchkitError("P523", name=" ".join(words)[:60])
        return stdin
    return _echoed(words[1:], shell) if words[0] == "echo" else _printed(words[1:])


def _echoed(words: list[str], shell: Shell) -> str:
    options, single = "", shell.echo_flags == "n"  # dash knows one '-n' and prints every other option
    while words and _ECHO_OPTION.fullmatch(words[0]):
        if words[0].strip("-" + shell.echo_flags) or (single and (options or words[0] != "-n")):
            raise PatchkitError("P519", name="echo", what=f"not every '{shell.name}' takes the option {words[0]}")
        options += words[0]
        words = words[1:]
    # A lone '-' vanishes in zsh; -e and -E together mean one thing there and another in bash.
    if (words and words[0].startswith("-")) or ("e" in options and "E" in options):
        raise PatchkitError("P519", name="echo", what="shells read these options differently")
    text = " ".join(words)
    if "\\" in text and "E" not in options:
        if shell.echo_escapes is None:
            raise PatchkitError("P519", name="echo", what="not every 'sh' leaves backslashes alone")
        if shell.echo_escapes or "e" in options:
            text = _unescaped(text, "echo")
    return text if "n" in options else text + "\n"


def _unescaped(text: str, name: str) -> str:
    def meant(found: re.Match[str]) -> str:
        after = found.group(1)
        if after in _ESCAPES:
            return _ESCAPES[after]
        if after and (after in _PLAIN_AFTER_BACKSLASH or after in "'\""):
            return found.group()
        raise PatchkitError("P519", name=name, what=f"it may read {found.group()!r} as an escape")

    return re.sub(r"\\(.?)", meant, text, flags=re.DOTALL)


def _printed(words: list[str]) -> str:
    """`printf`: the format is used again while words are left, and a missing word is empty."""
    if words[:1] == ["--"]:
        words = words[1:]
    elif words and words[0].startswith("-"):
        raise PatchkitError("P519", name="printf", what="its format begins with '-'")
    if not words:
        raise PatchkitError("P519", name="printf", what="it has no format")
    parts = _format_parts(words[0])
    wanted = sum(kind != "text" for kind, _ in parts)
    given = words[1:]
    text: list[str] = []
    while True:
        taken, given = given[:wanted], given[wanted:]
        for kind, part in parts:
            word = taken.pop(0) if kind != "text" and taken else ""
            text.append(part if kind == "text" else _unescaped(word, "printf") if kind == "b" else word)
        if not given or not wanted:
            return "".join(text)


def _format_parts(form: str) -> list[tuple[str, str]]:
    """A format as texts and the places of words, in order."""
    parts: list[tuple[str, str]] = []
    position = 0
    for found in _FORMAT.finditer(form):
        parts.append(("text", form[position : found.start()]))
        position = found.end()
        if found.group(1) in _ESCAPES:
            parts.append(("text", _ESCAPES[found.group(1)]))
        elif found.group(1) in _PLAIN_AFTER_BACKSLASH:
            parts.append(("text", found.group()))
        elif found.group(2) in ("s", "b"):
            parts.append((found.group(2), ""))
        elif found.group(2) == "%":
            parts.append(("text", "%"))
        else:
            raise PatchkitError("P519", name="printf", what=f"its format holds {found.group()!r}")
    parts.append(("text", form[position:]))
    return parts


def set_errexit(words: list[str], shell: Shell, errexit: bool) -> bool:
    """Whether errexit is on after `set WORDS`; refuses options that do more than stop at errors."""
    known = (*OPTION_NAMES, "pipefail") if shell.extended else OPTION_NAMES
    rest = list(words)
    if not rest:
        raise NotOurs("'set' alone prints every variable")
    while rest:
        word = rest.pop(0)
        on, letters = word[:1] == "-", word[1:]
        if (
            word[:1] not in ("-", "+")
            or not letters
            or letters.strip(shell.set_flags + "o" + ("" if on else shell.unset_flags))
        ):
            raise NotOurs(f"'set {word}' does more than stop at errors")
        names = [rest.pop(0) for _ in range(letters.count("o")) if rest]
        if len(names) < letters.count("o") or any(name not in known for name in names):
            raise NotOurs(f"'set {word}' does more than stop at errors")
        if "e" in letters or "errexit" in names:
            errexit = on
    return errexit


_BUILT_IN = ("cd", "pushd", "set", "mkdir", "true", ":")
_REDIRECTS = ("file_redirect", "herestring_redirect")
ARGUMENT_LIMIT = 131_071  # bytes; Linux takes no longer single argument, so the shell could not have run it
# Variables by such names mean nothing to any shell, so setting one has no effect but its value.
_HARMLESS_NAME = re.compile(
    r"[a-z]|foo|bar|baz|var|msg|message|name|file|src|dest|debug"
    r"|(?:[a-z]+_)?(?:patch|diff|text|body|content|contents|input|dir|root|repo|project|target)(?:_[a-z]+|[0-9])?",
    re.IGNORECASE,
)
_MOST_TAKEN = 16 << 20
_PLAIN_VALUE = re.compile(r"[A-Za-z0-9_./-]*")


def refuse_long_argument(text: str) -> None:
    size = len(text.encode("utf-8", "surrogateescape"))
    if size > ARGUMENT_LIMIT:
        raise PatchkitError("P520", size=size, limit=ARGUMENT_LIMIT)


def _targets(node: Node) -> list[Node]:
    """The words of a redirect node: its target, and what the grammar took for more of it."""
    words = [child for child in node.named_children if child.type != "file_descriptor"]
    if not words:
        raise PatchkitError("P514", what="a redirect without a target")
    return words


def _is_known(word: str) -> bool:
    wrapper = without_wrappers([word, "1", "x"])[0] != word
    return word in (*CALL_NAMES, *_BUILT_IN, "command", "exec") or wrapper or bool(shell_of(word))


_SILENT = (("", ">", "/dev/null"), ("1", ">", "/dev/null"))
_QUIET = (("2", ">", "/dev/null"), ("2", ">&", "1"))


class Redirects(Record):
    """The redirects of one command."""

    inputs: list[tuple[str, str]] = []  # texts for standard input, each with its form
    others: list[tuple[str, str, str]] = []  # descriptor, operator and target

    def merged(self, unread: bool = False) -> bool:
        """Whether `2>&1` is there; refuses every other redirect, but for `</dev/null` where input stays `unread`."""
        rest = [each for each in self.others if not (unread and each == ("", "<", "/dev/null"))]
        # One of each at most: zsh would write the errors twice.
        if rest not in ([], [("2", ">&", "1")]) or len(self.others) > len(rest) + 1:
            raise self.refusal()
        return bool(rest)

    def silences(self, both: bool) -> bool:
        """Whether standard output goes to /dev/null; refuses what does more than silence the command."""
        silent = [each for each in self.others if each in _SILENT or (both and each == ("", "&>", "/dev/null"))]
        if any(each not in silent and each not in _QUIET for each in self.others):
            raise self.refusal()
        if self.inputs:
            raise NotOurs("a text is given to a command that does not read it")
        return bool(silent)

    def refusal(self) -> PatchkitError:
        return PatchkitError("P506", redirect=" ".join("".join(each) for each in self.others)[:60] or "<<")


# Nodes of a command that is there but does not run, because the `cd` before '||' succeeds.
_IDLE = frozenset(
    "command command_name word number string raw_string string_content concatenation simple_expansion expansion "
    "variable_name special_variable_name redirected_statement file_redirect file_descriptor compound_statement "
    "subshell list".split()
)
_DEPTH_LIMIT = 12


class ScriptWalk(Record):
    """One walk: the state of the shell so far, and what was found.

    Every token that was read is marked; one that was not read means that grammar and lexer disagree.
    """

    masked: MaskedScript
    tokens: dict[int, Token]  # by where each begins, without line ends
    shell: Shell
    directory: ShellDirectory
    env: dict[str, str]
    errexit: bool
    inner: bool = False  # whether this script is inside another one
    variables: dict[str, str] = {}
    taken: int = 0  # characters of their values that words have
    call: Verdict | None = None
    replaced: bool = False  # by `exec`: nothing after the call would run
    used: set[int] = set()
    settled: bool = False  # whether the refusal came from a script inside this one
    depth: int = 0
    call_start: int = 0
    stops: bool = False  # whether errexit ends the script where the call fails
    saved: str = ""  # the variable that holds the call's status
    enclosed: bool = False  # whether the call is in braces, whose changes outlast them
    moved: int | None = None  # the position of the first `cd` after the call
    beyond: ShellDirectory | None = None  # and the directory that these lead to

    def use(self, node: Node, *kinds: str) -> Token:
        """The token where `node` begins; refuses when lexer and grammar do not see the same thing there."""
        token = self.tokens.get(node.start_byte)
        if token is None or token.kind not in kinds or token.start in self.used:
            raise self.disagreement(node)
        self.used.add(token.start)
        return token

    def disagreement(self, node: Node) -> PatchkitError:
        text = self.masked.text[node.start_byte : node.end_byte]
        return PatchkitError("P514", what=f"its parts can be read in two ways near '{text[:40]}'")

    # -- words -----------------------------------------------------------------------------------

    def text(self, node: Node) -> str:
        """The text of the word at `node`, known for certain."""
        token = self.use(node, "word")
        if token.end != node.end_byte:
            raise self.disagreement(node)
        return "".join([self.piece(token, piece, node, piece.quoted) for piece in token.pieces])

    def piece(self, token: Token, piece: Piece, node: Node, protected: bool) -> str:
        """One piece's text; `protected` says that the shell will not split it into words."""
        if piece.kind == "text":
            return piece.text
        if protected and piece.kind == "variable" and piece.text in self.variables:
            value = self.variables[piece.text]
            self.taken += len(value)  # a variable that is put twice into itself, again and again, fills any memory
            if self.taken > _MOST_TAKEN:
                reason = f"the values of its variables come to more than {_MOST_TAKEN >> 20} MB"
                raise PatchkitError("P117", reason=reason, instead="write the text once, in a heredoc")
            return value
        if protected and piece.kind == "substitution":
            found = node.descendant_for_byte_range(piece.start, piece.start + 2)
            while found is not None and found.type != "command_substitution":
                found = found.parent
            if found is None or found.start_byte != piece.start or found.named_child_count != 1:
                raise self.disagreement(node)
            try:
                return self.produce(found.named_children[0], []).rstrip("\n")
            except (PatchkitError, NotOurs) as refusal:
                if isinstance(refusal, PatchkitError) and refusal.code != "P523":
                    raise
                # It runs something else: that is as live as any expansion.
        word = repr(self.masked.source[token.begin : token.finish][:60])
        code = piece.text if piece.kind == "live" else "P504"
        raise PatchkitError(code, word=word, shell=self.shell.name, what=word)

    def assign(self, node: Node) -> None:
        """`NAME=VALUE` as a command of its own."""
        token = self.use(node, "word")
        first = token.pieces[0] if token.pieces else Piece("live", "")
        name, equals, head = first.text.partition("=")
        if token.end != node.end_byte or first.kind != "text" or first.quoted or not equals:
            raise self.disagreement(node)
        if not _HARMLESS_NAME.fullmatch(name) or name in self.env:
            raise PatchkitError("P505", name=name)
        pieces = [Piece("text", head), *token.pieces[1:]]
        if any(
            piece.kind == "text" and not piece.quoted and not _PLAIN_VALUE.fullmatch(piece.text) for piece in pieces
        ):
            raise PatchkitError("P505", name=name)
        self.variables[name] = "".join([self.piece(token, piece, node, True) for piece in pieces])

    def redirects(self, nodes: list[Node]) -> Redirects:
        found = Redirects()
        for node in nodes:
            token = self.use(node, "heredoc", "redirect")
            target = _targets(node)[0]
            if token.heredoc is not None:
                if token.fd not in ("", "0") or token.end != target.end_byte:
                    raise PatchkitError("P506", redirect=token.fd + token.text)
                found.inputs.append((body_text(self.masked.source, token.heredoc, self.shell), "heredoc"))
                continue
            if self.masked.text[token.end : target.start_byte].strip(" "):
                raise self.disagreement(node)
            if token.text != "<<<":
                found.others.append((token.fd, token.text, self.text(target)))
            elif token.fd:
                raise PatchkitError("P506", redirect=token.fd + token.text)
            elif not self.shell.extended:
                raise PatchkitError("P516", shell=self.shell.name, what="'<<<'")
            else:
                found.inputs.append((self.text(target) + "\n", "here-string"))
        return found

    def parts(self, node: Node, outer: list[Node]) -> tuple[list[Node], list[Node]]:
        """The words and the redirects of a command node, with those the grammar put elsewhere."""
        words: list[Node] = []
        redirects = list(outer)
        for child in node.children:
            if child.type == "command_name":
                words.append(child.children[0])
            elif child.type in _REDIRECTS:
                redirects.append(child)
            elif child.type == "variable_assignment":
                name = self.masked.text[child.start_byte : child.end_byte].partition("=")[0]
                raise PatchkitError("P505", name=name)
            elif child.is_named:
                words.append(child)
            else:
                raise self.disagreement(child)
        # The grammar takes words after a redirect for further targets of it.
        words += [word for each in redirects for word in _targets(each)[1:]]
        if not words or any(each.type not in _REDIRECTS for each in outer):
            raise self.disagreement(node)
        return sorted(words, key=lambda word: word.start_byte), redirects

    def produce(self, node: Node, outer: list[Node]) -> str:
        """The text that the command at `node`, with redirects around it, writes, if it is one that only writes text."""
        if node.type == "redirected_statement":
            outer, node = [*node.children[1:], *outer], node.children[0]
        if node.type != "command":
            raise NotOurs("'apply_patch' reads what other commands write")
        nodes, redirects = self.parts(node, outer)
        name = self.text(nodes[0])
        if name in CALL_NAMES:
            raise NotOurs("what 'apply_patch' writes goes to another command")
        if name not in PRODUCERS:
            raise PatchkitError("P523", name=name[:60])
        given = self.redirects(redirects)
        if given.others not in ([], [("2", ">", "/dev/null")]) or len(given.inputs) > (1 if name == "cat" else 0):
            raise given.refusal()
        stdin = given.inputs[0][0] if given.inputs else None
        return produced([name, *[self.text(each) for each in nodes[1:]]], self.shell, stdin)

    def run(self, node: Node, outer: list[Node], stdin: tuple[str, str] | None) -> str:
        """Runs a simple command; returns the status the script has then."""
        nodes, redirect_nodes = self.parts(node, outer)
        words = [self.text(nodes[0])]
        if not _is_known(words[0]):
            raise NotOurs(f"'{words[0][:60]}' runs besides 'apply_patch'")
        words += [self.text(each) for each in nodes[1:]]
        redirects = self.redirects(redirect_nodes)
        plain = self.unwrapped(words)
        inputs = [*redirects.inputs, *([stdin] if stdin else [])]
        if plain[0] in CALL_NAMES:
            self.call = self.called(plain[1:], inputs, redirects)
            return CALLED
        if shell_of(plain[0]):
            self.nested(plain, inputs, redirects.merged())
            return CALLED
        if plain is not words or words[0] not in _BUILT_IN:
            raise NotOurs(f"'{' '.join(words)[:60]}' runs besides 'apply_patch'")
        self.built_in(words, redirects)
        return READY

    def unwrapped(self, words: list[str]) -> list[str]:
        """The command after `command`, `exec`, `env` and `timeout N`; the same list when there is none of them."""
        if len(words) > 1 and words[0] in ("command", "exec") and words[1][:1] != "-":
            self.replaced = words[0] == "exec"
            return without_wrappers(words[1:])
        return without_wrappers(words)

    def called(self, words: list[str], inputs: list[tuple[str, str]], redirects: Redirects) -> Verdict:
        merged = redirects.merged(unread=not inputs)
        options, words = split_options(words)
        if words and inputs:
            raise PatchkitError("P508", what="an argument and a text on standard input")
        if len(inputs) > 1:
            raise PatchkitError("P508", what="two texts on standard input")
        if not inputs and len(words) != 1:
            raise PatchkitError("P511", what=f"{len(words)} arguments" if words else "neither")
        text, form = inputs[0] if inputs else (words[0], "argument")
        if not inputs:
            refuse_long_argument(text)
        place, shell = self.directory.path, self.shell.name
        return Verdict("apply_patch", text, place, shell=shell, form=form, merged=merged, options=options)

    def built_in(self, words: list[str], redirects: Redirects) -> None:
        """Runs a command that only prepares."""
        silent = redirects.silences(self.shell.extended)
        name, *rest = words
        if name == "cd" or (name == "pushd" and self.shell.extended and silent):
            self.change_directory(name, rest)
        elif name == "set":
            self.errexit = set_errexit(rest, self.shell, self.errexit)
        elif name == "mkdir" and len(rest) > 1 and rest[0] == "-p" and all(map(self.is_directory, rest[1:])):
            pass  # it leaves directories that are there alone
        elif name not in ("true", ":"):
            raise NotOurs(f"'{' '.join(words)[:60]}' runs besides 'apply_patch'")

    def is_directory(self, path: str) -> bool:
        """Whether another program started here would find a directory at `path`."""
        return path[:1] not in ("", "-") and os.path.isdir(os.path.join(self.directory.path, path))

    def change_directory(self, name: str, words: list[str]) -> None:
        physical = name == "cd" and words[:1] == ["-P"]
        if name == "cd" and words[:1] in (["-P"], ["-L"]):
            words = words[1:]
        marked = name == "cd" and words[:1] == ["--"]
        words = words[marked:]
        # '-x' is an option without the '--', and zsh takes '+1' and '-1' for places on its stack even with it.
        sign, digits = (words[0][:1], words[0][1:]) if words else ("", "")
        if len(words) != 1 or sign == "+" or (sign == "-" and (not marked or not digits or digits.isdigit())):
            raise PatchkitError("P512", path=" ".join(words)[:80])
        self.directory = change(self.directory, words[0], physical)

    def program(self, root: Node, stdin: tuple[str, str] | None = None) -> Verdict:
        """Returns the one call of the whole script."""
        if root.has_error or root.type != "program":
            raise PatchkitError("P514", what="it is not a well-formed script")
        status = self.sequence(root.children, stdin, top=True)
        if status == SAVED:
            raise NotOurs("the script hides the status of 'apply_patch'")
        if self.call is None:
            raise NotOurs("'apply_patch' is not called")
        self.check_tokens(len(self.masked.text))
        for token in self.masked.tokens:
            if token.heredoc is not None and not token.heredoc.closed:
                self.call.reason = Note("P901", lenience="open-heredoc", delimiter=token.heredoc.delimiter).message
        return self.call

    def check_tokens(self, stop: int) -> None:
        """Refuses when a token before `stop` was not read by the walk, or is where a shell would not have it."""
        if any(start < stop and start not in self.used for start in self.tokens):
            raise PatchkitError("P514", what="its parts can be read in two ways")
        check_order([token for token in self.masked.tokens if token.start <= stop])

    # -- structure -------------------------------------------------------------------------------

    def sequence(self, children: list[Node], stdin: tuple[str, str] | None, top: bool = False) -> str:
        """Statements one after the other; returns the status at their end."""
        status = READY
        for number, child in enumerate(children):
            if not child.is_named:
                self.separator(child)
            elif status == READY:
                if any(each.type == "&" for each in children[number + 1 : number + 2]):
                    raise PatchkitError("P507")
                self.stops = False
                later = any(each.is_named for each in children[number + 1 :])
                status = self.statement(child, [], stdin, top and not later)
                if top and status == CALLED and self.stops and self.errexit:
                    status = PASSED
            else:
                ended = self.ending(child, ";", status)
                if ended is None:
                    raise self.trailing(child, "&&" if status == PASSED else ";", top and status in (CALLED, PASSED))
                status = ended
        return status

    def separator(self, node: Node) -> None:
        if node.type == "\n":
            return
        if node.type != ";":
            raise PatchkitError("P507") if node.type == "&" else NotOurs(f"'{node.type}' is between the commands")
        self.use(node, "operator")

    def statement(self, node: Node, outer: list[Node], stdin: tuple[str, str] | None, last: bool = False) -> str:
        """One statement with the redirects that the grammar put around it; `last` when nothing follows at the top."""
        self.depth += 1
        if self.depth > _DEPTH_LIMIT:
            raise PatchkitError("P515", what="groups nested too deeply")
        try:
            if node.type == "redirected_statement":
                return self.statement(node.children[0], [*node.children[1:], *outer], stdin, last)
            if node.type == "list":
                return self.chain(node, outer, stdin, last)
            if node.type == "command":
                self.call_start, self.stops = node.start_byte, True
                return self.run(node, outer, stdin)
            if node.type == "pipeline":
                return self.pipeline(node, outer)
            if node.type in ("subshell", "compound_statement"):
                return self.group(node, outer, stdin)
            if node.type == "variable_assignment" and not outer:
                self.assign(node)
                return READY
            if node.type == "variable_assignments" and not outer:
                for each in node.children:
                    self.assign(each)
                return READY
            raise NotOurs("the script does more than call 'apply_patch'")
        finally:
            self.depth -= 1

    def chain(self, node: Node, outer: list[Node], stdin: tuple[str, str] | None, last: bool) -> str:
        """Commands joined by '&&' and '||'."""
        items = _items(node)
        status = READY
        for number, (operator, item) in enumerate(items):
            if operator is not None:
                self.use(operator, "operator")
            joined = operator.type if operator is not None else "&&"
            around = outer if number == len(items) - 1 else []
            if status == READY and joined == "||":
                self.idle(item, around)
            elif status == READY:
                status = self.statement(item, around, stdin)
                self.stops = self.stops and number == len(items) - 1
            else:
                ended = self.ending(item, joined, status) if not around else None
                if ended is None:
                    sound = (
                        joined == "&&" and last and all(each is None or each.type == "&&" for each, _ in items[number:])
                    )
                    raise self.trailing(item, "&&", sound and status in (CALLED, PASSED))
                status = ended
        return status

    def pipeline(self, node: Node, outer: list[Node]) -> str:
        if [child.type for child in node.children[1::2]] != ["|"] or len(node.children) != 3:
            raise NotOurs("'apply_patch' is in a longer pipeline")
        producer = node.children[0]
        redirects: list[Node] = []
        if producer.type == "redirected_statement" and producer.children[0].type == "list":
            # The grammar takes `a && b <x | c` for a pipe from `a && b`; shells take it for `a && { b <x | c; }`.
            redirects, producer = producer.children[1:], self.before_pipe(producer.children[0])
        begin = producer.start_byte
        text = self.produce(producer, redirects)
        self.use(node.children[1], "operator")
        state = self.directory, self.errexit, dict(self.variables)
        status = self.statement(node.children[2], outer, (text, "pipe"))
        self.directory, self.errexit, self.variables = state
        self.moved = self.beyond = None
        if status == READY:
            raise NotOurs("'apply_patch' is not what reads the text")
        self.call_start, self.stops = begin, True
        return CALLED

    def before_pipe(self, node: Node) -> Node:
        """Runs the commands of a list up to its last one, which is returned: the pipe reads that one alone."""
        items = _items(node)
        for operator, item in items[:-1]:
            if operator is not None:
                self.use(operator, "operator")
            if operator is not None and operator.type == "||":
                self.idle(item, [])
            elif self.statement(item, [], None) != READY:
                raise NotOurs("'apply_patch' is in a longer pipeline")
        operator, last = items[-1]
        if operator is None or operator.type != "&&":
            raise NotOurs("'apply_patch' reads what other commands write")
        self.use(operator, "operator")
        return last

    def group(self, node: Node, outer: list[Node], stdin: tuple[str, str] | None) -> str:
        """`( … )` and `{ …; }`: what the first does to the shell's state ends with it."""
        redirects = self.redirects(outer)
        merged = redirects.merged()
        inputs = [*redirects.inputs, *([stdin] if stdin else [])]
        if len(inputs) > 1:
            raise PatchkitError("P508", what="two texts on standard input")
        opening, *inside, closing = node.children
        brackets = {"(": "operator", "{": "word"}.get(opening.type, "")
        self.use(opening, brackets)
        state = self.directory, self.errexit, dict(self.variables)
        status = self.sequence(inside, inputs[0] if inputs else None)
        self.use(closing, brackets)
        if merged and self.call:
            self.call.merged = True
        if status == READY and inputs:
            raise NotOurs("a text is given to commands that do not read it")
        if status == SAVED:
            raise NotOurs("the script hides the status of 'apply_patch'")
        if node.type == "subshell":
            self.directory, self.errexit, self.variables = state
            self.moved = self.beyond = None
            status = status if status == READY else CALLED
        elif status != READY:
            self.enclosed = True
        self.call_start, self.stops = node.start_byte, False
        return status

    # -- after the call, and beside it -----------------------------------------------------------

    def ending(self, node: Node, joined: str, status: str) -> str | None:
        """The status after a command that leaves the call's outcome as it is; None when it is not such a command."""
        if node.type == "variable_assignment":
            return self.saving(node, joined, status)
        marks: list[Token | None] = []
        begin = node.start_byte
        if node.type == "compound_statement" and node.named_child_count == 1:
            marks = [self.tokens.get(child.start_byte) for child in node.children if not child.is_named]
            node = node.named_children[0]
        if node.type != "command":
            return None
        tokens = [self.tokens.get(child.start_byte) for child in node.children]
        after = self.after_command(tokens, joined, status, begin)
        if after is not None:
            self.used.update(token.start for token in (*marks, *tokens) if token)
        return after

    def saving(self, node: Node, joined: str, status: str) -> str | None:
        """The status after `NAME=$?`, which puts the call's own into a variable."""
        if joined != ";" or status not in (CALLED, PASSED):
            return None
        token = self.tokens.get(node.start_byte)
        self.saved = saved_status(token)
        if token is None or not self.saved or self.saved in self.env:
            return None
        self.used.add(token.start)
        return SAVED

    def after_command(self, tokens: list[Token | None], joined: str, status: str, begin: int) -> str | None:
        """The status after a command of these tokens that begins at `begin`."""
        words = [plain_word(token) for token in tokens]
        if len(words) == 2 and words[0] == "cd" and (status == PASSED or (status == CALLED and joined == "&&")):
            if not self.can_change(words[1]):
                return None
            if self.moved is None:
                self.moved = begin
            return status
        if status == SAVED and joined == ";":
            leaving = [[("text", "exit")], [("variable", self.saved)]]  # with or without quotes
            return ENDED if [_pieces(token) for token in tokens] == leaving else None
        known = _ENDINGS.get((status, joined), {})
        return next((after for text, after in known.items() if text.split() == words), None)

    def can_change(self, path: str) -> bool:
        """Whether a `cd` after the call does nothing but succeed; then the script is in that directory."""
        if path[:1] in ("-", "+"):
            return False
        try:
            self.beyond = change(self.beyond or self.directory, path)
        except PatchkitError:
            return False
        return True

    def trailing(self, node: Node, operator: str, sound: bool) -> NotOurs:
        """The refusal for a script that goes on at `node`, with what a runtime needs to do both where that is sound."""
        reason = "other commands run after 'apply_patch'"
        if not sound or self.call is None or self.replaced or self.inner or self.enclosed:
            return NotOurs(reason)
        if operator == ";" and self.errexit:
            return NotOurs(reason + ", and whether they do depends on its outcome")
        if operator == ";" and self.moved is not None:
            return NotOurs(reason + ", and where they do depends on its outcome")
        if self.call.options:
            raise PatchkitError("P508", what="an argument and a text on standard input")
        begin = node.start_byte if self.moved is None else self.moved
        self.check_tokens(node.start_byte)
        setup, rest = setup_and_rest(self.masked, self.call_start, begin)
        if asks_for_status(rest, operator):
            return NotOurs(reason + " and look at its status")
        if not can_be_read(rest, self.shell):
            return NotOurs(reason + ", and they cannot be read for certain")
        then = Then(str(self.call.patch), str(self.call.workdir), operator, setup, rest)
        return Trailing(reason, then, self.call.merged)

    def idle(self, node: Node, outer: list[Node]) -> None:
        """A command that will not run; it must still be one that every shell reads without complaint."""
        begin, end = node.start_byte, max([node.end_byte, *[each.end_byte for each in outer]])
        every = self.masked.tokens
        first, behind = (bisect_left(every, at, key=lambda token: token.start) for at in (begin, end))
        for token in [each for each in every[first:behind] if each.kind != "newline"]:
            known = all(piece.kind in ("text", "variable") for piece in token.pieces) or token.text in ("{", "}")
            if (
                token.kind == "heredoc"
                or not known
                or token.static() in CALL_NAMES
                or token.text in (";;", "&", "|", "<<<")
            ):
                raise NotOurs("what follows '||' is not plain")
            self.used.add(token.start)
        if not all(_is_idle(each) for each in (node, *outer)):
            raise NotOurs("what follows '||' is not plain")

    def nested(self, words: list[str], inputs: list[tuple[str, str]], merged: bool) -> None:
        invocation = read_argv(words)
        if invocation is None and len(inputs) == 1:
            invocation, inputs = read_stdin(words, inputs[0][0]), []
        if invocation is None or self.inner or len(inputs) > 1:
            raise NotOurs("a shell inside the shell is used in a way not known here")
        refuse_long_argument(invocation.script)
        try:
            self.call = evaluate(
                invocation, inherited(self.directory), self.env, inputs[0] if inputs else None, inner=True
            )
        except (PatchkitError, NotOurs):
            self.settled = True
            raise
        self.call.merged = self.call.merged or merged
        self.call.shell = self.shell.name


def _items(node: Node) -> list[tuple[Node | None, Node]]:
    """A list as its commands, each with the operator before it. The grammar nests them to the left."""
    found: list[tuple[Node | None, Node]] = []
    while node.type == "list" and len(node.children) == 3:
        found.append((node.children[1], node.children[2]))
        node = node.children[0]
    return [(None, node), *reversed(found)]


def _is_idle(node: Node, depth: int = 0) -> bool:
    known = depth <= _DEPTH_LIMIT and (not node.is_named or node.type in _IDLE)
    return known and all(_is_idle(child, depth + 1) for child in node.children)


# Options that a bash started without a terminal has anyway, and those that a script may set itself.
_USUAL_OPTIONS = frozenset("braceexpand hashall interactive-comments errexit nounset pipefail noclobber noglob".split())
_USUAL_SHOPTS = frozenset(
    "checkwinsize cmdhist complete_fullquote extquote force_fignore globasciiranges globskipdots hostcomplete "
    "interactive_comments login_shell patsub_replacement progcomp promptvars sourcepath".split()
)
_RUN = frozenset(
    (*CALL_NAMES, *"cd pushd set true : exit false cat echo printf command exec env timeout bash sh dash zsh".split())
)


def evaluate(
    invocation: Invocation,
    directory: ShellDirectory,
    env: dict[str, str],
    stdin: tuple[str, str] | None = None,
    inner: bool = False,
) -> Verdict:
    """Returns the one call that the script is."""
    script, shell = invocation.script, invocation.shell
    if not mentions(script):
        raise NotOurs("the script does not mention 'apply_patch'")
    masked = read(script, shell)
    if masked.broken and any(word in CALL_NAMES for word in masked.command_words()):
        raise masked.broken
    words = [word for token in masked.tokens if token.kind == "word" and (word := token.static())]
    # The name of the command, or of a shell inside this one that may run it.
    if masked.broken or not any(word in CALL_NAMES or shell_of(word) for word in words):
        raise NotOurs("the script mentions 'apply_patch' but is not seen to call it")
    root = tree.parse(masked.text)
    tokens = {token.start: token for token in masked.tokens if token.kind != "newline"}
    walk = ScriptWalk(masked, tokens, shell, directory, env, invocation.errexit, inner)
    try:
        call = walk.program(root, stdin)
        check_environment(env, shell)
        return call
    except (PatchkitError, NotOurs) as refusal:
        if isinstance(refusal, Trailing):
            check_environment(env, shell)
        if walk.settled:
            raise
        raise tree.explained(root, refusal) from None


def check_environment(env: dict[str, str], shell: Shell) -> None:
    """Refuses an environment that makes the shell read another file, run a function or know other options."""
    if shell.name == "bash" and env.get("BASH_ENV"):
        raise PatchkitError("P517", what="BASH_ENV")
    if shell.name not in ("bash", "sh"):
        return
    for name, usual in (("SHELLOPTS", _USUAL_OPTIONS), ("BASHOPTS", _USUAL_SHOPTS)):
        if not usual.issuperset(filter(None, env.get(name, "").split(":"))):
            raise PatchkitError("P517", what=name)
    for name in env:
        if name.startswith("BASH_FUNC_") and name[10:].removesuffix("%%").removesuffix("()") in _RUN:
            raise PatchkitError("P517", what=name)
