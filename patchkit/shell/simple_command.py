"""Evaluate simple commands (the shell grammar's term): words, redirects, and the call itself.

`SimpleCommands` is the half of the walk that knows what one command does to the shell's state: which directory it
is in, whether it stops at errors, which variables are set, and whether apply_patch was called. Every token that
was read is marked; one that was not read means that grammar and lexer disagree. `walk` adds structure.
"""

from __future__ import annotations

import os
import re

from patchkit.errors import PatchkitError
from patchkit.shell.after_call import CALLED, READY
from patchkit.shell.directory import ShellDirectory, change
from patchkit.shell.heredoc import body_text
from patchkit.shell.mention import CALL_NAMES
from patchkit.shell.shells import OPTION_NAMES, Shell, shell_of, without_wrappers
from patchkit.shell.tokens import MaskedScript, Piece, Token
from patchkit.shell.verdict import NotOurs, PatchCall, split_options

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tree_sitter import Node


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
_PLAIN_VALUE = re.compile(r"[A-Za-z0-9_./-]*")


class SimpleCommands:
    def __init__(
        self, masked: MaskedScript, shell: Shell, directory: ShellDirectory, env: dict[str, str], errexit: bool
    ) -> None:
        self.masked = masked
        self.shell = shell
        self.directory = directory
        self.env = env
        self.errexit = errexit
        self.variables: dict[str, str] = {}
        self.call: PatchCall | None = None
        self.replaced = False  # by `exec`: nothing after the call would run
        self.tokens = {token.start: token for token in masked.tokens if token.kind != "newline"}
        self.used: set[int] = set()

    def nested(self, words: list[str], inputs: list[tuple[str, str]], merged: bool) -> None:
        raise NotImplementedError

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
            return self.variables[piece.text]
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

    # -- redirects -------------------------------------------------------------------------------

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

    # -- commands --------------------------------------------------------------------------------

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

    def called(self, words: list[str], inputs: list[tuple[str, str]], redirects: Redirects) -> PatchCall:
        merged = redirects.merged(unread=not inputs)
        options, words = split_options(words)
        if words and inputs:
            raise PatchkitError("P508", what="an argument and a text on standard input")
        if len(inputs) > 1:
            raise PatchkitError("P508", what="two texts on standard input")
        if inputs:
            return PatchCall(inputs[0][0], self.directory, inputs[0][1], merged, options)
        if len(words) != 1:
            raise PatchkitError("P511", what=f"{len(words)} arguments" if words else "neither")
        refuse_long_argument(words[0])
        return PatchCall(words[0], self.directory, "argument", merged, options)

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


# -- redirects -----------------------------------------------------------------------------------

_SILENT = (("", ">", "/dev/null"), ("1", ">", "/dev/null"))
_QUIET = (("2", ">", "/dev/null"), ("2", ">&", "1"))


class Redirects:
    """The redirects of one command.

    Texts for standard input, each with its form; everything else as descriptor, operator and target.
    """

    def __init__(self) -> None:
        self.inputs: list[tuple[str, str]] = []
        self.others: list[tuple[str, str, str]] = []

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
