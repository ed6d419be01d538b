"""Walk the structure of a script and find the one apply_patch call in it.

`evaluate` takes a script with its shell, the directory it starts in and an environment; gives the PatchCall when the
script is that call and nothing else. It raises PatchkitError for a call that cannot be trusted, and NotOurs for a
script that is something else or something more. The word is looked for first, then the text is read, and only a
script with the word where it may be a command reaches the grammar. The walk knows sequences, lists, pipelines and
groups; every node it does not know ends it. A shell inside the script is walked in the same way. Nothing is run.
"""

from __future__ import annotations

from bisect import bisect_left

from patchkit.errors import Note, PatchkitError
from patchkit.shell import tree
from patchkit.shell.after_call import (
    CALLED,
    ENDED,
    PASSED,
    READY,
    SAVED,
    asks_for_status,
    can_be_read,
    leaves_with,
    plain_word,
    saved_status,
    setup_and_rest,
    status_after,
)
from patchkit.shell.directory import ShellDirectory, change, inherited
from patchkit.shell.lexer import read
from patchkit.shell.mention import CALL_NAMES, mentions
from patchkit.shell.shells import Invocation, Shell, read_argv, read_stdin, shell_of
from patchkit.shell.simple_command import SimpleCommands, refuse_long_argument
from patchkit.shell.tokens import MaskedScript, Token, check_order
from patchkit.shell.verdict import NotOurs, PatchCall, Then, Trailing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tree_sitter import Node


# Nodes of a command that is there but does not run, because the `cd` before '||' succeeds.
_IDLE = frozenset(
    "command command_name word number string raw_string string_content concatenation simple_expansion expansion "
    "variable_name special_variable_name redirected_statement file_redirect file_descriptor compound_statement "
    "subshell list".split()
)
_DEPTH_LIMIT = 12


class ScriptWalk(SimpleCommands):
    def __init__(
        self,
        masked: MaskedScript,
        shell: Shell,
        directory: ShellDirectory,
        env: dict[str, str],
        errexit: bool,
        inner: bool = False,
    ) -> None:
        super().__init__(masked, shell, directory, env, errexit)
        self.inner = inner  # whether this script is inside another one
        self.settled = False  # whether the refusal came from a script inside this one
        self.starts = sorted(self.tokens)
        self.depth = 0
        self.call_start = 0
        self.stops = False  # whether errexit ends the script where the call fails
        self.saved = ""  # the variable that holds the call's status
        self.enclosed = False  # whether the call is in braces, whose changes outlast them
        self.moved: int | None = None  # the position of the first `cd` after the call
        self.beyond: ShellDirectory | None = None  # and the directory that these lead to

    def program(self, root: Node, stdin: tuple[str, str] | None = None) -> PatchCall:
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
                self.call.doubt = Note("P901", lenience="open-heredoc", delimiter=token.heredoc.delimiter).message
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
            return ENDED if leaves_with(tokens, self.saved) else None
        return status_after(status, joined, words)

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
        then = Then(self.call.text, self.call.directory.path, operator, setup, rest)
        return Trailing(reason, then, self.call.merged)

    def idle(self, node: Node, outer: list[Node]) -> None:
        """A command that will not run; it must still be one that every shell reads without complaint."""
        begin, end = node.start_byte, max([node.end_byte, *[each.end_byte for each in outer]])
        for start in self.starts[bisect_left(self.starts, begin) : bisect_left(self.starts, end)]:
            token = self.tokens[start]
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


# -- a script ------------------------------------------------------------------------------------

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
) -> PatchCall:
    """Returns the one call that the script is."""
    script, shell = invocation.script, invocation.shell
    if not mentions(script):
        raise NotOurs("the script does not mention 'apply_patch'")
    masked = read(script, shell)
    if masked.broken:
        if any(word in CALL_NAMES for word in masked.command_words()):
            raise masked.broken
        raise NotOurs("the script mentions 'apply_patch' but is not seen to call it")
    if not _may_call(masked):
        raise NotOurs("the script mentions 'apply_patch' but is not seen to call it")
    root = tree.parse(masked.text)
    walk = ScriptWalk(masked, shell, directory, env, invocation.errexit, inner)
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


def _may_call(masked: MaskedScript) -> bool:
    """Whether some word is the name of the command, or of a shell inside this one that may run it."""
    words = [word for token in masked.tokens if token.kind == "word" and (word := token.static())]
    return any(word in CALL_NAMES or shell_of(word) for word in words)


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
