"""The commands whose effect is known without running them: one row for each form, with its reason.

Takes the words of a command; returns why they are known to change and read no file, or '' where that is not proved.
Every row holds in bash, dash and zsh, or says that it is for bash and zsh. What has no row is unknown: a rule has to
allow it. There is no list of dangerous commands, because such a list is never complete.
"""

from __future__ import annotations

import re

from patchkit.values import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from patchkit.shell.shells import Shell

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


class Form(Value):
    """One known form: the name of the command, an expression for the words after it, and the reason.

    `extended` forms are known to bash and zsh only; a `program` is found on PATH, everything else is built in.
    `searching` names the shells in which a wrapper looks on PATH for the command after it, even for `echo`.
    """

    __slots__ = ("name", "words", "reason", "extended", "program", "searching", "_regex")
    _place = ("_regex",)
    name: str
    words: str
    reason: str
    extended: bool
    program: bool
    searching: tuple[str, ...]

    def __init__(
        self,
        name: str,
        words: str,
        reason: str,
        extended: bool = False,
        program: bool = False,
        searching: tuple[str, ...] = (),
    ) -> None:
        self.name = name
        self.words = words
        self.reason = reason
        self.extended = extended
        self.program = program
        self.searching = searching
        self._regex: re.Pattern[str] | None = None

    def fits(self, encoded: str) -> bool:
        if self._regex is None:
            self._regex = re.compile(self.words, re.DOTALL)
        return self._regex.fullmatch(encoded) is not None


FORMS = (
    Form("true", _WORDS, "ignores its words"),
    Form("false", _WORDS, "ignores its words"),
    Form(":", _WORDS, "ignores its words"),
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


def has_form(name: str) -> bool:
    """Whether a name has rows at all: in other forms, its command may change how the rest of a script is read."""
    return any(form.name == name for form in FORMS)


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
