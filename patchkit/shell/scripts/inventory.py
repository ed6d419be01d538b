"""Everything a script would run, as parsed words.

Takes the text of a script; gives every command in it with its words, and the files that redirects read and write. A
script whose parts are all known is read by `known`. Any other is unknown; for the sake of rules that deny, this module
lists the commands that can be seen in it: in lists, loops, substitutions and functions, after wrappers such as `env`
and inside `bash -c '…'`. A word that only running shows is Live. What may be run is decided elsewhere.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from posixpath import basename, normpath

from patchkit.shell import tree
from patchkit.shell.lexer import balanced, read
from patchkit.shell.scripts.known import TEXT_LIMIT, known_script
from patchkit.shell.scripts.wrappers import SHELL_NAMES, Command, Inventory, Live, Unknown, commands_run_by, run_by
from patchkit.shell.shells import BASH, Shell
from patchkit.shell.tokens import Heredoc, MaskedScript, Token

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Iterator

    from tree_sitter import Node


_TREE_LIMIT = 32_768  # and that the grammar gets to see: its error recovery is slow
_MOST_SCRIPTS = 200  # inside one script, side by side
_DEEPEST = 12  # and inside one another
_MOST_WORDS = 100  # of a shell's command line, in which its heredocs are looked for
_NODES = ("command", "declaration_command", "unset_command")
_REDIRECTS = ("file_redirect", "herestring_redirect")
_KEYWORDS = frozenset("if then else elif fi do done while until for in case esac select function ! { }".split())
_BACKTICKED = re.compile(r"`((?:[^`\\]|\\.)*)`", re.DOTALL)
_WRITING = (">", ">>", ">|", ">&", "&>", "&>>", "<>")
_DUPLICATE = re.compile(r"[0-9]+|-")


def inventory(script: str, shell: Shell = BASH, taken: Container[str] = ()) -> Inventory:
    """Everything that `script` would do in `shell`; names in `taken` are variables of the environment.

    Where a part of the script is not known, the inventory says so and lists what can be seen of it all the same: a
    rule that denies one of these commands holds then, too.
    """
    try:
        return known_script(script, shell, taken)
    except Unknown as reason:
        found = Inventory(unknown=str(reason))
        _Collector(found).script(script)
        return found


class _Collector:
    """Lists what can be seen of a script that is not known in all its parts."""

    def __init__(self, found: Inventory) -> None:
        self.found = found
        self.left = _MOST_SCRIPTS
        self.depth = 0

    def script(self, text: str) -> None:
        """Lists a script and all those inside it."""
        if not text.strip():
            return
        self.left -= 1
        if self.left < 0 or self.depth >= _DEEPEST:
            return
        self.depth += 1
        masked = read(text, BASH, TEXT_LIMIT)
        commands = by_grammar(masked)
        for command in by_tokens(masked) if commands is None else commands:
            self.command(command)
        self.found.read += _targets(masked, "<", "<>")
        self.found.written += _targets(masked, *_WRITING)
        for inner in inner_scripts(masked):
            self.script(inner)
        self.depth -= 1

    def command(self, command: Command) -> None:
        self.found.commands.append(command)
        for run in [*commands_run_by(command.words)]:
            command.runs = True
            if isinstance(run, str):
                self.script(run)
            else:
                # What xargs runs gets more words than it is written with.
                run.words = [*run.words, *([Live("")] if basename(command.words[0]) == "xargs" else [])]
                command = run
                self.found.commands.append(command)


def by_grammar(masked: MaskedScript) -> list[Command] | None:
    """The commands as the grammar has them; None where it has no clean answer.

    It takes a keyword in some places for the name of a command ('! if a; then b; fi'), which is not an answer either.
    """
    if masked.broken or len(masked.text) > _TREE_LIMIT:
        return None
    root = tree.parse(masked.text)
    found = [] if root.has_error else list(_commands(masked, root))
    misread = root.has_error or any(each.words and each.words[0] in _KEYWORDS for each in found)
    return None if misread else found


def _commands(masked: MaskedScript, root: Node) -> Iterator[Command]:
    tokens = {token.start: token for token in masked.tokens}
    nodes = [root]
    while nodes:
        node = nodes.pop()
        nodes.extend(reversed(node.children))
        if node.type in _NODES:
            if not _is_filler(masked, node):
                yield _command(masked, tokens, node)
        elif node.type == "variable_assignment" and (node.parent is None or node.parent.type not in _NODES):
            yield Command([], [_word(masked, tokens.get(node.start_byte))])


def _is_filler(masked: MaskedScript, node: Node) -> bool:
    """Whether a command is only the filler for what is in backticks, which is listed as a script of its own."""
    return masked.text[node.start_byte - 1 : node.end_byte + 1] == "`_`"


def _command(masked: MaskedScript, tokens: dict[int, Token], node: Node) -> Command:
    command = Command([])
    for child in [*node.children, *_redirects_around(node)]:
        if child.type in _REDIRECTS:
            # The grammar takes words after a redirect for further targets of it: they are the command's.
            targets = [each for each in child.named_children if each.type != "file_descriptor"]
            command.words += [_word(masked, tokens.get(each.start_byte)) for each in targets[1:]]
        elif child.type == "variable_assignment" and not command.words:
            command.assignments.append(_word(masked, tokens.get(child.start_byte)))
        else:
            command.words.append(_word(masked, tokens.get(child.start_byte)))
    if _runs_shell(command.words):
        command.words += _bodies(masked, node)
    return command


def _redirects_around(node: Node) -> list[Node]:
    """Redirects of a command that the grammar gives to the statement it ends."""
    found: list[Node] = []
    around = node.parent
    while around is not None and around.type in ("redirected_statement", "list") and len(found) < _MOST_WORDS:
        if around.type == "redirected_statement":
            found += [each for each in around.children[1:] if each.type in _REDIRECTS]
        elif around.children[-1] != node:
            break
        node, around = around, around.parent
    return found


def _runs_shell(words: list[str]) -> bool:
    """Whether this is a shell, also after a wrapper: what it is given to read is a script."""
    return any(isinstance(run, list) and basename(run[0]) in SHELL_NAMES for run in run_by(words))


def _bodies(masked: MaskedScript, command: Node) -> list[str]:
    """What a shell reads from its heredocs, as if it were `-c BODY`. The grammar may have put them far from it."""
    found: list[str] = []
    first = bisect_left(masked.tokens, command.start_byte, key=lambda token: token.start)
    for token in masked.tokens[first : first + _MOST_WORDS]:
        if token.kind in ("operator", "newline"):
            break
        if token.heredoc is not None:
            found += ["-c", _body(masked, token.heredoc)]
    return found


def _body(masked: MaskedScript, heredoc: Heredoc) -> str:
    """The text of a heredoc; one that never ends goes on to the end, with a warning, but it does."""
    if heredoc.start < 0:
        return ""
    return masked.source[heredoc.start : heredoc.stop if heredoc.stop >= 0 else None]


def by_tokens(masked: MaskedScript) -> Iterator[Command]:
    """The commands as far as tokens alone show them."""
    words: list[str] = []
    for token in masked.tokens:
        if token.kind in ("operator", "newline"):
            if words:
                yield Command(words)
            words = []
        elif token.kind == "word" and (words or token.text not in _KEYWORDS):
            words.append(_word(masked, token))
            if any(piece.kind == "substitution" for piece in token.pieces):
                yield Command(words)
                words = []  # what follows is inside
        elif token.heredoc is not None and _runs_shell(words):
            words += ["-c", _body(masked, token.heredoc)]
    if words:
        yield Command(words)


def _word(masked: MaskedScript, token: Token | None) -> str:
    if token is None or token.kind != "word":
        return Live("")
    known = token.static()
    return Live(masked.source[token.begin : token.finish]) if known is None else known


def _targets(masked: MaskedScript, *operators: str) -> Iterator[str]:
    """The files of these redirects, as they are named."""
    before: Token | None = None
    for token in masked.tokens:
        if before is not None and before.kind == "redirect" and before.text in operators and token.kind == "word":
            target = _word(masked, token)
            if before.text != ">&" or not _DUPLICATE.fullmatch(target):
                yield target
        before = token


def inner_scripts(masked: MaskedScript) -> Iterator[str]:
    """Scripts that the masked text does not show: in backticks, in expansions, in heredocs that are expanded."""
    for token in masked.tokens:
        if token.heredoc is not None and not token.heredoc.quoted:
            yield from _substituted(_body(masked, token.heredoc))
        elif any(piece.kind == "live" for piece in token.pieces):
            yield from _substituted(masked.source[token.begin : token.finish])


def _substituted(text: str) -> Iterator[str]:
    for found in _BACKTICKED.finditer(text):
        yield re.sub(r"\\([`\\$])", r"\1", found.group(1))
    at = text.find("$(")
    while at >= 0:
        end = balanced(text, at + 2, "(", ")")
        if end < 0:
            return
        yield text[at + 2 : end - 1].removeprefix("(")
        at = text.find("$(", end)


# Slips that `exec` refuses before it runs a command: a short list, compared with parsed words.
#
# Takes the text of a script; gives the first command in it that is on the list, as written. A word counts where it is
# run, so `echo "sudo"` is fine and `sudo x` is not, also in lists, loops, substitutions, functions, after wrappers such
# as `env` and inside `bash -c '…'`. What a variable, a file or an encoded text turns into is not known here: the list
# guards against slips, not against intent. It allows nothing: what may run is decided by the rules, from forms whose
# effect is known (`forms`, `known`), and a command that is not on this list is judged as any other.
_NAMES = frozenset("sudo doas pkexec shutdown reboot halt poweroff".split())
_VERBS = {
    "systemctl": frozenset(("reboot", "poweroff", "halt", "kexec")),
    "init": frozenset("06"),
    "telinit": frozenset("06"),
}
_SAFE_DEVICES = frozenset("null zero full tty stdin stdout stderr random urandom".split())
_SAFE_DIRECTORIES = ("fd/", "shm/", "pts/")
_QUOTES = str.maketrans("", "", "'\"\\")


def danger(script: str) -> str:
    """The first command of the list in `script`, as written; '' when there is none."""
    found = inventory(script)
    listed = [" ".join(each.words).rstrip() for each in found.commands if each.words and _is_listed(each.words)]
    written = [f"> {path}" for path in found.written if _is_device(path)]
    return next(iter([*listed, *written]), "")[:80]


def _is_listed(words: list[str]) -> bool:
    name, rest = basename(words[0]), words[1:]
    if name in _NAMES:
        return True
    if name in _VERBS:
        return not _VERBS[name].isdisjoint(rest)
    if name == "rm":
        return _removes_root(rest)
    if name == "tee":
        return any(map(_is_device, rest))
    return name == "dd" and any(_is_device(word[3:]) for word in rest if word.startswith("of="))


def _removes_root(words: list[str]) -> bool:
    """Whether these words make `rm` take everything: recursive, and aimed at the root or at all that is in it."""
    if "--no-preserve-root" in words:
        return True
    end = words.index("--") if "--" in words else len(words)
    options = [word for word in words[:end] if word.startswith("-")]
    targets = [*(word for word in words[:end] if not word.startswith("-")), *words[end + 1 :]]
    recursive = any(
        "--recursive".startswith(word) if word.startswith("--") and len(word) > 2 else "r" in word.lower()
        for word in options
    )
    return recursive and any(map(_is_root, targets))


def _is_root(word: str) -> bool:
    plain = word.translate(_QUOTES)
    if not plain.startswith("/"):
        return False
    last = basename(plain)
    return normpath(plain[: len(plain) - len(last)] if last in ("*", ".*", "..?*", "{*,.*}") else plain) in ("/", "//")


def _is_device(path: str) -> bool:
    """Whether writing to `path` writes to hardware, or to something else that is not a file."""
    plain = normpath("/" + path.translate(_QUOTES).lstrip("/")) if path[:1] in ("/", "'", '"', "\\") else ""
    name = plain.removeprefix("/dev/")
    return name != plain and name not in _SAFE_DEVICES and not name.startswith(_SAFE_DIRECTORIES)
