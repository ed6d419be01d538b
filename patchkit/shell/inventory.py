"""Everything a script would run, read and write, as rules need it.

Takes the text of a script; gives every command in it with its words, and the files that redirects read and write. A
script whose parts all have a known effect is read by the first part of this module: its grammar is a small part of what
the shells agree on, written out here, and read from the lexer's tokens: lists, pipelines, groups, `if`, `while`,
`until`, `for`, `case`, `[[` and simple commands. Words are text, plain variables, substitutions (read in the same way)
and plain patterns. Everything else is unknown: arithmetic, subscripts, other expansions, functions, process
substitutions, backquotes. Of a script that is unknown, for the sake of rules that deny, the second part lists the
commands that can be seen in it: in lists, loops, substitutions and functions, after wrappers such as `env` and inside
`bash -c '…'`. A word that only running shows is Live. What may be run is decided elsewhere.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Container, Iterator, Sequence
from posixpath import basename, normpath

from patchkit.shell import tree
from patchkit.shell.heredoc import unquoted_body
from patchkit.shell.lexer import balanced, read
from patchkit.shell.shells import BASH, Shell, read_argv
from patchkit.shell.tokens import Heredoc, MaskedScript, Token, outermost
from patchkit.shell.wrappers import SHELL_NAMES, Command, Inventory, Live, Unknown, commands_run_by, run_by
from patchkit.values import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tree_sitter import Node


# The commands whose effect is known without running them: one row for each form, with its reason.
#
# Takes the words of a command; returns why they are known to change and read no file, or '' where that is not proved.
# Every row holds in bash, dash and zsh, or says that it is for bash and zsh. What has no row is unknown: a rule has to
# allow it. There is no list of dangerous commands, because such a list is never complete.
# A word as the expressions of the rows see it: its text, or one of these where only running shows the text.
NUMBER, ONE_WORD, ANY_WORDS = "\x01", "\x02", "\x03"  # `$?`; exactly one word (`"$x"`); any number of words (`$x`)
_NEXT = "\x1f"
_UNUSUAL = re.compile("[\x00-\x08\x1f]")  # in a text they would be taken for the marks above

_TEXT = "[^\x01-\x03\x1f]*"  # a word that is known
_ONE = "[^\x03\x1f]*"  # one word, known or not
_WORDS = f"(?:{_NEXT}[^{_NEXT}]*)*"  # any words, known or not
_COUNT = f"(?:{_NEXT}(?:[0-9]{{1,9}}|{NUMBER}))?"
_INTEGER = f"(?:-?[0-9]{{1,9}}|{NUMBER})"
_DURATION = r"[0-9]{1,6}(?:\.[0-9]{1,6})?[smhd]?"
_OPTIONS = "(?:errexit|nounset|pipefail)"
_FILE_TESTS = "-[bcdefghknprsuwxzLSOG]"
_COMPARED = f"{_INTEGER}{_NEXT}-(?:eq|ne|lt|le|gt|ge){_NEXT}{_INTEGER}"


def _test(word: str, right: str) -> str:
    """The tests that compare texts, look at the kind of a file, or compare literal integers."""
    return (
        f"(?:{_NEXT}!)?{_NEXT}{_FILE_TESTS}{_NEXT}{word}"
        f"|{_NEXT}{word}{_NEXT}(?:=|==|!=){_NEXT}{right}|{_NEXT}{_COMPARED}|{_NEXT}{word}"
    )


class Form(Record):
    """One known form: the name of the command, an expression for the words after it, and the reason."""

    name: str
    words: str
    reason: str
    extended: bool = False  # known to bash and zsh only
    program: bool = False  # found on PATH; everything else is built in
    searching: tuple[str, ...] = ()  # shells in which a wrapper looks on PATH for the command after it, even for `echo`

    def fits(self, encoded: str) -> bool:
        return re.fullmatch(self.words, encoded, re.DOTALL) is not None


FORMS = (
    *(Form(name, _WORDS, "ignores its words") for name in ("true", "false", ":")),
    Form("echo", _WORDS, "prints its words"),
    Form(
        "printf",
        # `-v` and `%n` assign, also to subscripts; zsh calculates what `%d` is given. A text conversion does neither.
        f"(?:{_NEXT}--)?{_NEXT}(?!-)(?:[^%\x01-\x03\x1f]|%-?[0-9]{{0,4}}[sbcq]|%%)*{_WORDS}",
        "prints; its format is known and converts to text only",
    ),
    Form("pwd", f"(?:{_NEXT}-[LP])?", "prints the directory"),
    Form("cd", _WORDS, "changes the shell's directory; paths after it are not known"),
    Form("pushd", _WORDS, "changes the shell's directory; paths after it are not known", extended=True),
    Form("popd", _WORDS, "changes the shell's directory; paths after it are not known", extended=True),
    # zsh calculates the operand of these: only literal numbers are known.
    Form("exit", _COUNT, "ends the shell"),
    Form("return", _COUNT, "ends a function"),
    Form("break", _COUNT, "ends a loop"),
    Form("continue", _COUNT, "begins the next round of a loop"),
    Form("wait", "", "waits for the jobs of the shell"),
    Form(
        "set",
        f"(?:{_NEXT}[-+][eu]+|{_NEXT}[-+][eu]*o{_NEXT}{_OPTIONS})+",
        "makes the shell stop at errors, or go on; other options print variables or change how words are read",
    ),
    # `-v` and `-R` evaluate subscripts, `-eq` calculates in zsh, `-o` and `-a` make longer expressions of live words.
    Form("test", _test(_ONE, _ONE), "compares texts and looks at the kind of a file"),
    Form("[", f"(?:{_test(_ONE, _ONE)}){_NEXT}\\]", "compares texts and looks at the kind of a file"),
    # Words are not split between these brackets, so one that is not known is one word.
    Form(
        "[[",
        f"(?:{_test(f'[^{_NEXT}]*', f'[^{_NEXT}]*')}){_NEXT}\\]\\]",
        "compares texts and looks at the kind of a file",
        extended=True,
    ),
    Form("command", f"{_NEXT}-[vV](?:{_NEXT}{_TEXT})+", "says what a name stands for"),
    Form("sleep", f"{_NEXT}{_DURATION}", "waits", program=True),
)

_ALL = ("bash", "zsh", "dash", "sh")
# Commands that do nothing but run the one after them, which is judged itself: the words of their own, before it.
# `nohup` writes a file when its output is a terminal, and `time -o`, `env`, `xargs` do more than run: they have no row.
WRAPPERS = (
    Form("command", "", "runs the command after it", searching=("zsh",)),
    Form("builtin", "", "runs the command after it", extended=True),
    Form("exec", "", "runs the command after it in place of the shell", searching=_ALL),
    Form(
        "time",
        f"(?:{_NEXT}-p)?",
        "runs the command after it and prints how long it took",
        program=True,
        searching=("dash", "sh"),
    ),
    Form("nice", f"(?:{_NEXT}-n{_NEXT}?-?[0-9]{{1,3}})?", "runs the command after it", program=True, searching=_ALL),
    Form("setsid", "", "runs the command after it", program=True, searching=_ALL),
    Form(
        "stdbuf",
        f"(?:{_NEXT}-[ioe](?:L|[0-9]{{1,6}}))+",
        "runs the command after it",
        program=True,
        searching=_ALL,
    ),
    Form(
        "timeout",
        f"(?:{_NEXT}-k{_NEXT}{_DURATION}|{_NEXT}-s{_NEXT}[A-Z0-9]+|{_NEXT}--foreground)*{_NEXT}{_DURATION}",
        "runs the command after it, for so long at the most",
        program=True,
        searching=_ALL,
    ),
)

# Variables by these names mean nothing to any shell, and no program reads them from its environment.
_PLAIN_NAME = re.compile(
    r"[a-z]|foo|bar|baz|var|msg|message|name|names|file|files|src|dest|item|items|line|lines|pkg|mod|module"
    r"|rc|ret|res|result|results|out|output|count|total|version|branch|commit|url|tag|key|val|value"
    r"|(?:[a-z]+_)(?:file|files|dir|text|name|names|count|list)"
    r"|(?:[a-z]+_)?(?:patch|diff|body|content|contents|dir|repo|project|target|test|tests)[0-9]?"
)


def encoded(words: Sequence[str]) -> str | None:
    """Words as the rows see them, where words that are not known are given as one of the marks."""
    marks = (NUMBER, ONE_WORD, ANY_WORDS)
    if any(word not in marks and _UNUSUAL.search(word) for word in words):
        return None
    return "".join(_NEXT + word for word in words)


def known_form(name: str, words: Sequence[str], shell: Shell) -> Form | None:
    """The row that proves what a built-in or small program does with these words; None where none does."""
    text = encoded(words)
    found = (form for form in FORMS if form.name == name and (shell.extended or not form.extended))
    return next((form for form in found if text is not None and form.fits(text)), None)


def known_wrapper(name: str, words: Sequence[str], shell: Shell) -> tuple[Form, int] | None:
    """The row of a wrapper and how many words are its own, where a plain command follows them."""
    for form in WRAPPERS:
        if form.name != name or (form.extended and not shell.extended):
            continue
        for own in range(len(words)):
            text = encoded(words[:own])
            if text is not None and form.fits(text) and not words[own].startswith(("-", "+", NUMBER, ANY_WORDS)):
                return form, own
    return None


def is_plain_name(name: str) -> bool:
    """Whether setting a variable of this name affects nothing but words that use it."""
    return _PLAIN_NAME.fullmatch(name) is not None


TEXT_LIMIT = 65_536  # characters of command text that are looked at: quoted text and heredocs do not count
_MOST_SCRIPTS = 200  # inside one script, side by side
_DEEPEST = 50  # scripts, lists and wrappers inside one another
# Words of the grammar of any of the shells, where a command may begin. Those that are read here are named below.
_RESERVED = frozenset(
    "if then elif else fi do done while until for in case esac select function coproc repeat foreach end always "
    "nocorrect noglob - { } [[ ]] ! time".split()
)
# Written without quotes these are themselves as arguments, although the lexer is careful with their characters.
_THEMSELVES = frozenset("[ ] [[ ]] ! != = == {}".split())
_ASSIGNMENT = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)(\+?)=")
# A word with patterns in it: evaluating it only looks at names. No brackets: they are subscripts and zsh's own.
_VARIABLE = r"\$(?:[A-Za-z_][A-Za-z0-9_]*(?![A-Za-z0-9_\[:])|\{[A-Za-z_][A-Za-z0-9_]*\}(?![\[:]))"
_PATTERN_WORD = re.compile(
    rf"(?:[A-Za-z0-9_\-./:,+@%=*?~]|'[^']*'|\\[^\n]|\"(?:[^\"$`\\]|{_VARIABLE})*\"|{_VARIABLE})+"
)
_WRITING = frozenset((">", ">>", ">|", ">&", "&>", "&>>", "<>"))
_OF_EXTENDED = frozenset(("&>", "&>>", "<<<"))  # in sh 'a &>b c' is 'a & >b c', which runs c
_STANDARD = frozenset("012-")  # descriptors that are open in any case, and none


def _start(token: Token) -> int:
    return token.start


class _Reading(Record):
    """One reading of a script with all scripts inside it."""

    found: Inventory
    taken: Container[str]
    left: int = _MOST_SCRIPTS
    depth: int = 0

    def script(self, text: str, shell: Shell) -> None:
        self.left -= 1
        if self.left < 0:
            raise Unknown("too many scripts inside it")
        masked = read(text, shell, TEXT_LIMIT)
        if masked.broken is not None:
            raise Unknown(masked.broken.message)
        self.deeper()
        _Script(self, masked, shell, outermost(masked.tokens)).whole()
        self.depth -= 1

    def deeper(self) -> None:
        self.depth += 1
        if self.depth > _DEEPEST:
            raise Unknown("it is nested too deeply")


class _Script(Record):
    """Reads the tokens of one script, or of one substitution in it, from the first to the last."""

    reading: _Reading
    masked: MaskedScript
    shell: Shell
    tokens: list[Token]
    is_substitution: bool = False
    at: int = 0

    def peek(self) -> Token | None:
        return self.tokens[self.at] if self.at < len(self.tokens) else None

    def raw(self, token: Token | None) -> str:
        """A word as it is written; '' for anything else."""
        if token is None or token.kind != "word":
            return ""
        return self.masked.source[token.begin : token.finish]

    def takes(self, kind: str, *texts: str) -> bool:
        """Whether the next token is this operator or unquoted word; it is read then."""
        token = self.peek()
        found = (self.raw(token) if kind == "word" else token.text) if token and token.kind == kind else None
        if found is None or found not in texts:
            return False
        self.at += 1
        return True

    def needs(self, kind: str, text: str) -> None:
        if not self.takes(kind, text):
            raise Unknown(f"a '{text}' is expected in it")

    def newlines(self) -> None:
        while (token := self.peek()) is not None and token.kind == "newline":
            self.at += 1

    # -- structure -------------------------------------------------------------------------------

    def whole(self) -> None:
        self.commands()
        if self.peek() is not None:
            raise Unknown("its parts are in an order that is not known here")

    def commands(self, *ends: str) -> None:
        """Reads a list of commands, up to one of the words or operators `ends`."""
        self.reading.deeper()
        while True:
            self.newlines()
            token = self.peek()
            if token is None or token.text in ends:
                break
            self._pipeline()
            while self.takes("operator", "&&", "||"):
                self.newlines()
                self._pipeline()
            token = self.peek()
            if token is None or not (self.takes("operator", ";", "&") or token.kind == "newline" or token.text in ends):
                break
        self.reading.depth -= 1

    def _pipeline(self) -> None:
        while self.takes("word", "!"):
            pass
        self._command()
        while self.takes("operator", "|"):
            self.newlines()
            self._command()

    def _command(self) -> None:
        token = self.peek()
        word = self.raw(token)
        if token is not None and token.kind == "operator" and token.text == "(":
            after = self.tokens[self.at + 1] if self.at + 1 < len(self.tokens) else None
            if after is not None and after.text == "(" and after.begin == token.finish:
                raise Unknown("'((' is arithmetic")
            self.at += 1
            self.commands(")")
            self.needs("operator", ")")
        elif word == "{":
            self.at += 1
            self.commands("}")
            self.needs("word", "}")
        elif word == "if":
            self._if()
        elif word in ("while", "until"):
            self.at += 1
            self.commands("do")
            self._do()
        elif word == "for":
            self._for()
        elif word == "case":
            self._case()
        elif word in _RESERVED and word not in ("time", "[["):
            raise Unknown(f"'{word}' is not known here")
        else:
            self._simple()
            return
        self._redirects_after()

    def _if(self) -> None:
        while self.takes("word", "if", "elif"):  # after the first, an 'if' is within one of the lists
            self.commands("then")
            self.needs("word", "then")
            self.commands("elif", "else", "fi")
        if self.takes("word", "else"):
            self.commands("fi")
        self.needs("word", "fi")

    def _do(self) -> None:
        self.needs("word", "do")
        self.commands("done")
        self.needs("word", "done")

    def _for(self) -> None:
        """`for NAME in WORDS; do … done`. A name that means something to a shell changes how the rest runs."""
        self.at += 1
        name = self.raw(self.peek())
        if not is_plain_name(name) or name in self.reading.taken:
            raise Unknown(f"'{name}' may be a variable with a meaning")
        self.at += 1
        self.needs("word", "in")
        words = []
        while (token := self.peek()) is not None and token.kind == "word":
            words.append(self.word(token))
            self.at += 1
        token = self.peek()
        if token is None or not (self.takes("operator", ";") or token.kind == "newline"):
            raise Unknown("a 'for' in a form that is not known here")
        self.newlines()
        self.reading.found.commands.append(Command(["for", name, "in", *words], known="repeats the commands in it"))
        self._do()

    def _case(self) -> None:
        self.at += 1
        token = self.peek()
        if token is None or token.kind != "word":
            raise Unknown("a 'case' in a form that is not known here")
        words = [self.word(token)]
        self.at += 1
        self.newlines()
        self.needs("word", "in")
        self.reading.found.commands.append(Command(["case", *words, "in"], known="chooses among the commands in it"))
        self.newlines()
        while not self.takes("word", "esac"):
            self.takes("operator", "(")
            while True:
                token = self.peek()
                if token is None or token.kind != "word":
                    raise Unknown("a 'case' in a form that is not known here")
                self.word(token)
                self.at += 1
                if not self.takes("operator", "|"):
                    break
            self.needs("operator", ")")
            self.commands(";;", "esac")
            if not self.takes("operator", ";;") and self.raw(self.peek()) != "esac":
                raise Unknown("a 'case' in a form that is not known here")
            self.newlines()

    def word(self, token: Token) -> str:
        """The text of a word; Live where it is not known.

        Evaluating it has no effect but those of the substitutions in it, which are read like scripts.
        """
        raw = self.raw(token)
        if "\\\n" in raw:
            raise Unknown("a word goes on in the next line")
        if raw in ("{", "}"):
            raise Unknown("a brace among the words of a command ends it in zsh")
        if raw in _THEMSELVES:
            return raw
        text = token.static()
        if text is not None:
            return text
        if any(piece.kind == "live" for piece in token.pieces):
            if not _PATTERN_WORD.fullmatch(raw):
                raise Unknown(f"the effect of the expansion in {raw[:60]!r} is not known")
            return Live(raw)
        for piece, after in zip(token.pieces, token.pieces[1:], strict=False):
            # zsh reads these as a subscript, which it calculates, and as a modifier, also between double quotes.
            modifier = after.text[:1] == ":" and after.text[1:2].isalpha() and self.shell.name != "bash"
            if piece.kind == "variable" and after.kind == "text" and (after.text[:1] == "[" or modifier):
                raise Unknown(f"what follows the variable in {raw[:60]!r} may belong to it")
        starts = [piece.start for piece in token.pieces if piece.kind == "substitution"]
        for start, stop in zip(starts, [*starts[1:], token.end], strict=False):
            first = bisect_right(self.masked.tokens, start, key=_start)
            inside = self.masked.tokens[first : bisect_left(self.masked.tokens, stop, key=_start)]
            _Script(self.reading, self.masked, self.shell, outermost(inside), is_substitution=True).whole()
        return Live(raw)

    def _mark(self, token: Token, word: str) -> str:
        """The word as the known forms see it."""
        if not isinstance(word, Live):
            return word
        pieces = [piece for piece in token.pieces if piece.kind != "text" or piece.text]
        if [(piece.kind, piece.text) for piece in pieces] == [("variable", "?")]:
            return NUMBER
        return ONE_WORD if all(piece.kind == "text" or piece.quoted for piece in pieces) else ANY_WORDS

    def _simple(self) -> None:
        assignments: list[str] = []
        words: list[str] = []
        marks: list[str] = []
        inputs = 0
        plain = True
        begin = self.at
        while (token := self.peek()) is not None and token.kind not in ("operator", "newline"):
            self.at += 1
            if token.kind == "word":
                found = None if words else _ASSIGNMENT.match(self.raw(token))
                word = self.word(token)
                if found is not None:
                    plain = plain and not found[2] and is_plain_name(found[1]) and found[1] not in self.reading.taken
                    assignments.append(word)
                else:
                    words.append(word)
                    marks.append(self._mark(token, word))
            elif words[:1] == ["[["] and words[-1] != "]]":
                raise Unknown("'[[' in a form whose effect is not known")
            else:
                inputs += self._redirect(token)
        if self.at == begin:
            raise Unknown("a command is missing in it")
        if inputs > 1:
            raise Unknown("a command with more than one input")
        if token is not None and token.kind == "operator" and token.text in ("(", "<(", ">("):
            raise Unknown("a parenthesis after a word")
        if words:
            self._words(words, marks, assignments)
        elif not assignments and self.shell.name == "zsh" and not self._only_reads():
            raise Unknown("zsh runs a program for a redirect without a command")
        elif assignments:
            reason = "sets a variable that nothing reads but this script" if plain else ""
            self.reading.found.commands.append(Command([], assignments, reason))

    def _only_reads(self) -> bool:
        """Whether this is `$(<FILE)` as a whole, which zsh reads by itself."""
        return self.is_substitution and len(self.tokens) == 2 and (self.tokens[0].text, self.tokens[0].fd) == ("<", "")

    def _words(self, words: list[str], marks: list[str], assignments: list[str], searched: bool = False) -> None:
        """Adds a command, and what it runs; `searched` says that it is a program even if the shell has one built in."""
        name = words[0]
        command = Command(words, assignments)
        self.reading.found.commands.append(command)
        if isinstance(name, Live):
            return
        if basename(name) in SHELL_NAMES:
            found = None if any(isinstance(word, Live) for word in words) else read_argv(words)
            if found is None:
                raise Unknown(f"'{name}' runs something that is not known")
            command.known, command.runs, command.program = "runs its script, which is judged", True, name
            self.reading.script(found.script, found.shell)
        elif name == "eval":
            if any(isinstance(word, Live) for word in words):
                raise Unknown("'eval' of a text that is not known")
            command.known, command.runs = "runs its text, which is judged", True
            self.reading.script(" ".join(words[1:]), self.shell)
        elif (wrapper := known_wrapper(name, marks[1:], self.shell)) is not None:
            form, own = wrapper
            command.known, command.runs, command.program = form.reason, True, name if form.program else ""
            self.reading.deeper()
            self._words(words[1 + own :], marks[1 + own :], [], searched or self.shell.name in form.searching)
            self.reading.depth -= 1
        elif (form_found := known_form(name, marks[1:], self.shell)) is not None:
            command.known, command.program = form_found.reason, name if form_found.program else ""
        elif name != "sleep" and any(form.name == name for form in FORMS):  # it may change how the rest is read
            raise Unknown(f"'{name}' in a form whose effect is not known")
        else:
            self._run(command)
        if assignments:
            command.known = ""
        if searched:
            command.program = name

    def _run(self, command: Command) -> None:
        """What programs such as `xargs` and `find` run, which need a rule themselves."""
        for run in commands_run_by(command.words):
            command.runs = True
            if isinstance(run, str):
                if isinstance(run, Live):
                    raise Unknown("it runs a text that is not known")
                self.reading.script(run, self.shell)
            else:
                # What xargs and find run gets other words than it is written with.
                given = [Live(word) if "{}" in word else word for word in run.words]
                more = [Live("")] if basename(command.words[0]) == "xargs" else []
                self.reading.found.commands.append(Command([*given, *more], run.assignments))

    def _redirects_after(self) -> None:
        inputs = 0
        while (token := self.peek()) is not None and token.kind in ("redirect", "heredoc"):
            self.at += 1
            inputs += self._redirect(token)
        if inputs > 1:
            raise Unknown("a command with more than one input")
        if token is not None and token.kind == "word":
            raise Unknown("a word after the end of a command")

    def _redirect(self, token: Token) -> bool:
        """Reads the rest of a redirect; returns whether it is an input."""
        if len(token.fd) > 1:
            raise Unknown("a redirect of an unusual descriptor")
        if token.heredoc is not None:
            heredoc = token.heredoc
            if token.fd not in ("", "0"):
                raise Unknown("a heredoc for another descriptor than the input")
            body = self.masked.source[heredoc.start : heredoc.stop]
            if not heredoc.quoted and unquoted_body(body, heredoc.delimiter, heredoc.tabs) is None:
                raise Unknown("a heredoc with expansions")
            return True
        if token.text in _OF_EXTENDED and not self.shell.extended:
            raise Unknown(f"'{token.text}' is not a redirect in every '{self.shell.name}'")
        target = self.peek()
        if target is None or target.kind != "word":
            raise Unknown("a redirect without a target")
        self.at += 1
        word = self.word(target)
        if self.raw(target)[:1] in ("!", "&", "|"):
            raise Unknown("zsh reads '!' after a redirect as a part of it, and the next word as its target")
        if token.text == "<<<":
            return True
        if token.text in (">&", "<&") and word in _STANDARD and not isinstance(word, Live):
            return False
        if token.text == "<&":
            raise Unknown("a copy of an unusual descriptor")
        if token.text in _WRITING:
            self.reading.found.written.append(word)
        if token.text in ("<", "<>"):
            self.reading.found.read.append(word)
        return token.text in ("<", "<>") and token.fd in ("", "0")


# -- what can be seen of any other script --------------------------------------------------------

_TREE_LIMIT = 32_768  # characters of command text that the grammar gets to see: its error recovery is slow
_DEEPEST_SEEN = 12  # scripts inside one another
_MOST_WORDS = 100  # of a shell's command line, in which its heredocs are looked for
_NODES = ("command", "declaration_command", "unset_command")
_REDIRECTS = ("file_redirect", "herestring_redirect")
_KEYWORDS = frozenset("if then else elif fi do done while until for in case esac select function ! { }".split())
_BACKTICKED = re.compile(r"`((?:[^`\\]|\\.)*)`", re.DOTALL)
_DUPLICATE = re.compile(r"[0-9]+|-")


def inventory(script: str, shell: Shell = BASH, taken: Container[str] = ()) -> Inventory:
    """Everything that `script` would do in `shell`; names in `taken` are variables of the environment.

    Where a part of the script is not known, the inventory says so and lists what can be seen of it all the same: a
    rule that denies one of these commands holds then, too.
    """
    found = Inventory()
    try:
        _Reading(found, taken).script(script, shell)
    except Unknown as reason:
        found = Inventory(unknown=str(reason))
        _Collector(found).script(script)
    return found


class _Collector(Record):
    """Lists what can be seen of a script that is not known in all its parts."""

    found: Inventory
    left: int = _MOST_SCRIPTS
    depth: int = 0

    def script(self, text: str) -> None:
        """Lists a script and all those inside it."""
        if not text.strip():
            return
        self.left -= 1
        if self.left < 0 or self.depth >= _DEEPEST_SEEN:
            return
        self.depth += 1
        masked = read(text, BASH, TEXT_LIMIT)
        commands = by_grammar(masked)
        for command in [*(by_tokens(masked) if commands is None else commands), *_behind_redirects(masked)]:
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
            # What is in backticks is listed as a script of its own.
            if masked.text[node.start_byte - 1 : node.end_byte + 1] != "`_`":
                yield _command(masked, tokens, node)
        elif node.type == "variable_assignment" and (node.parent is None or node.parent.type not in _NODES):
            yield Command([], [_word(masked, tokens.get(node.start_byte))])


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


def _behind_redirects(masked: MaskedScript) -> Iterator[Command]:
    """What sh runs behind a redirect that only other shells know: the shell of a script may be either."""
    words: list[str] = []
    behind = False
    before = ""
    for token in masked.tokens:
        if token.kind in ("operator", "newline") or token.text in _OF_EXTENDED:
            if words:
                yield Command(words)
            words, behind = [], token.text in _OF_EXTENDED
        elif behind and token.kind == "word" and before != "redirect":  # which it is the target of
            words.append(_word(masked, token))
        before = token.kind
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
# effect is known, and a command that is not on this list is judged as any other.
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
