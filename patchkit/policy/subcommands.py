"""Programs with subcommands, and what their command lines name: data, and how it is read.

Takes the words of a command; gives what rules about a subcommand need: the words without options that mean nothing, and
a SubcommandLine, which knows the subcommand behind other options (`git -C . push` is `git push`). An option that the
table does not have may take the next word or not, so the command is not known then. Rules that deny and ask hold for
what a SubcommandLine may be; a rule that allows needs the words themselves.
"""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase
from posixpath import basename

from patchkit.globs.rule_patterns import ANY, NameGlob, Pattern, command_pattern, is_wild, known
from patchkit.shell.wrappers import Live


class Program:
    """The options of a program before its subcommand: `plain` ones change nothing about what it does, `flags` take no
    value, `valued` ones take the next word.

    `unsure` are values that may give a subcommand another meaning; `aliases` other names of subcommands; `groups` words
    that may be left out. One that `abbreviates` takes the beginning of a subcommand for it. Behind what it `runs` comes
    another command; what it `evaluates` (separated by '|') has a text that is run. Of one whose subcommands are `known`
    any other may be an alias; `settings` are those that name no program.
    """

    def __init__(
        self,
        valued: str = "",
        flags: str = "",
        plain: str = "",
        unsure: str = "",
        aliases: str = "",
        groups: str = "",
        abbreviates: bool = False,
        runs: str = "",
        evaluates: str = "",
        known: str = "",
        settings: str = "",
    ) -> None:
        self.plain = frozenset(plain.split())
        self.flags = frozenset(["-h", "--help", "--version", *flags.split(), *self.plain])
        self.valued = frozenset(valued.split())
        self.unsure = tuple(unsure.split())
        self.aliases = dict(each.split("=") for each in aliases.split())
        self.groups = frozenset(groups.split())
        self.abbreviates = abbreviates
        self.runs = [text.split() for text in runs.split("|") if text]
        self.evaluates = [text.split() for text in evaluates.split("|") if text]
        self.known = frozenset(known.split())
        self.settings = tuple(settings.split())

    def takes(self, word: str) -> int | None:
        """How many further words an option takes; None where that is not known."""
        if isinstance(word, Live):
            return None
        if word.startswith("+"):
            return 0  # the toolchain of cargo
        name, attached, _ = word.partition("=")
        if attached:
            return 0 if name in self.valued or name in self.flags or f"{name}=" in self.valued else None
        if word in self.valued:
            return 1
        if word in self.flags:
            return 0
        if word.startswith("--"):
            return None
        for at, letter in enumerate(word[1:], 2):
            if f"-{letter}" in self.valued:
                return 0 if word[at:] else 1
            if f"-{letter}" not in self.flags:
                return None
        return 0


_NPM = Program(
    "--prefix -C --dir -w --workspace --filter -F --registry --loglevel --userconfig --globalconfig --cache --tag "
    "--access --otp --scope --script-shell --node-options --cwd --config --omit --include",
    "-g --global -f --force --workspaces -ws --include-workspace-root -iwr --dry-run --no-audit --no-fund "
    "--ignore-scripts --json --long -l --parseable -p --offline --prefer-offline -r --recursive -D -P -O -E -S --save "
    "--save-dev --no-save --legacy-peer-deps -v --usage -y --yes --foreground-scripts --if-present "
    "--package-lock-only --verbose --no-workspaces",
    "-s --silent -q --quiet --no-color --color --no-progress --no-update-notifier",
    aliases="i=install in=install ins=install inst=install insta=install instal=install isnt=install isnta=install "
    "isntal=install isntall=install add=install un=uninstall unlink=uninstall remove=uninstall rm=uninstall "
    "r=uninstall up=update upgrade=update udpate=update t=test tst=test run-script=run rum=run urn=run x=exec "
    "c=config ic=clean-install ci=clean-install isntall-clean=clean-install dist-tags=dist-tag author=owner ln=link",
    groups="npm",  # yarn npm publish
    abbreviates=True,
    runs="exec|dlx",
    evaluates="explore|config set|set|pkg set|--script-shell|--node-options|--userconfig|--globalconfig",
)
_DOCKER = Program(
    "-H --host -c --context --config -l --log-level --tlscacert --tlscert --tlskey --connection --url --identity "
    "--namespace -n --root --storage-driver --runroot",
    "-D --debug --tls --tlsverify -v --remote -r",
    groups="container image",
)
_KUBECTL = Program(
    "-n --namespace --context --kubeconfig --cluster --user -s --server --token --as --as-group --as-uid --cache-dir "
    "--certificate-authority --client-certificate --client-key --tls-server-name --request-timeout --username "
    "--password -v --v --vmodule --profile --profile-output --log-flush-frequency --registry-config "
    "--repository-cache --kube-context --kube-apiserver --kube-token --kube-as-user",
    "--insecure-skip-tls-verify --match-server-version --warnings-as-errors --disable-compression --debug",
    aliases="rm=delete delete=uninstall del=uninstall un=uninstall",  # the last three of helm
)
_APT = Program(
    "-o --option -c --config-file -t --target-release --default-release -a --host-architecture -R --root -C --setopt "
    "--installroot --releasever --enablerepo --disablerepo -p --repository -X --arch",
    "-y --yes --assume-yes -q -qq --quiet -s --simulate --dry-run -d --download-only -f --fix-broken -m -u -V -b "
    "--no-install-recommends --allow-downgrades --purge --force-yes --reinstall -v --verbose --assumeno -U --no-cache",
)
_TERRAFORM = Program("-chdir", "-help -version -v --help --version")
_GH = Program("-R --repo --hostname")
# Options of a program may also follow its subcommand; they are read by the same table there.
PROGRAMS = {
    "git": Program(
        "-C -c --git-dir --work-tree --namespace --super-prefix --attr-source --list-cmds= --shallow-file",
        "-v -p --paginate --bare --exec-path --html-path --man-path --info-path --no-lazy-fetch",
        "-P --no-pager --no-optional-locks --no-advice --no-replace-objects --literal-pathspecs --glob-pathspecs "
        "--noglob-pathspecs --icase-pathspecs",
        unsure="alias.* include*",
        aliases="send-pack=push http-push=push",
        groups="lfs subtree",
        runs="bisect run",
        evaluates="submodule foreach|for-each-repo|filter-branch|difftool|mergetool|rebase -x|rebase --exec|grep -O|"
        "grep --open-files-in-pager|--upload-pack|--receive-pack|clone -u|clone -c|clone --config|clone --template|"
        "init --template|fetch-pack --exec|ls-remote --exec|archive --exec",
        known="add am annotate apply archive bisect blame branch bundle cat-file check-attr check-ignore "
        "check-mailmap check-ref-format checkout checkout-index cherry cherry-pick clean clone column commit "
        "commit-graph commit-tree config count-objects describe diff diff-files diff-index diff-tree fast-export "
        "fast-import fetch fetch-pack for-each-ref format-patch fsck gc get-tar-commit-id grep hash-object help "
        "index-pack init interpret-trailers lfs log ls-files ls-remote ls-tree mailinfo mailsplit maintenance merge "
        "merge-base merge-file merge-tree mktag mktree multi-pack-index mv name-rev notes pack-objects pack-refs "
        "patch-id prune pull push range-diff read-tree rebase reflog remote repack replace rerere reset restore "
        "rev-list rev-parse revert rm shortlog show show-branch show-index show-ref sparse-checkout stage stash "
        "status stripspace submodule switch symbolic-ref tag unpack-objects update-index update-ref "
        "update-server-info var verify-commit verify-pack verify-tag version whatchanged worktree write-tree",
        settings="advice.* author.* blame.* branch.* checkout.* color.* column.* commit.gpgsign=false committer.* "
        "core.abbrev=* core.autocrlf=* core.editor=: core.editor=true core.eol=* core.filemode=* core.fsmonitor=false "
        "core.hookspath=/dev/null core.ignorecase=* core.longpaths=* core.pager= core.pager=cat core.pager=less "
        "core.quotepath=* core.safecrlf=* core.whitespace=* diff.algorithm=* diff.colormoved=* diff.context=* "
        "diff.mnemonicprefix=* diff.noprefix=* diff.renames=* fetch.* format.* gc.auto* gc.*expire* http.* "
        "i18n.* index.* init.defaultbranch=* log.* merge.conflictstyle=* merge.ff=* merge.renames=* pack.* "
        "protocol.version=* pull.* push.* rebase.auto* rerere.* safe.* sequence.editor=: "
        "sequence.editor=true stash.* status.* submodule.recurse=* tag.gpgsign=false user.*",
    ),
    "hg": Program(
        "-R --repository --cwd --config --encoding --encodingmode --color --pager",
        "-y --noninteractive -q --quiet -v --verbose --debug --debugger --traceback --time --profile --hidden",
        unsure="alias.* extensions.* hooks.* ui.* merge-tools.* extdiff.* pager.*",
        abbreviates=True,
    ),
    "jj": Program(
        "-R --repository --at-operation --at-op --config --config-file --color",
        "--ignore-working-copy --ignore-immutable --debug --quiet",
        "--no-pager",
        unsure="aliases.* ui.* merge-tools.* fix.*",
        runs="util exec",
    ),
    "svn": Program(
        "--username --password --config-dir --config-option", "--non-interactive --no-auth-cache --trust-server-cert"
    ),
    "npm": _NPM,
    "pnpm": _NPM,
    "yarn": _NPM,
    "bun": _NPM,
    "pip": Program(
        "--python --log --keyring-provider --proxy --retries --timeout --exists-action --trusted-host --cert "
        "--client-cert --cache-dir --use-feature --use-deprecated --resume-retries",
        "--isolated --require-virtualenv --debug --no-input --no-cache-dir -V",
        "-q -qq -qqq --quiet -v -vv -vvv --verbose --no-color --no-python-version-warning --disable-pip-version-check",
    ),
    "pipx": Program(flags="--global", plain="-q --quiet -v --verbose", runs="run"),
    "uv": Program(
        "--directory --project --config-file --cache-dir --color --allow-insecure-host --python -p",
        "--no-cache -n --offline --no-config --native-tls --managed-python --no-managed-python --no-python-downloads",
        "-q --quiet -v --verbose --no-progress",
        runs="run|tool run",
    ),
    "poetry": Program(
        "-C --directory -P --project",
        "--no-plugins --no-cache -n --no-interaction -V",
        "-q -v -vv -vvv --quiet --verbose --ansi --no-ansi",
        runs="run",
    ),
    "pdm": Program("-c --config -p --project", "-V -I --ignore-python -n --non-interactive", runs="run"),
    "conda": Program("-n --name -p --prefix", "-V --no-plugins", "-v --verbose", runs="run"),
    "cargo": Program(
        "--config -Z -C --color --explain --manifest-path --target-dir",
        "-V --list --offline --frozen --locked",
        "-q --quiet -v -vv --verbose",
        unsure="alias*",
        aliases="b=build c=check d=doc t=test r=run rm=remove",
    ),
    "rustup": Program(flags="-V", plain="-q --quiet -v --verbose"),
    "go": Program("-C"),
    "docker": _DOCKER,
    "podman": _DOCKER,
    "nerdctl": _DOCKER,
    "kubectl": _KUBECTL,
    "oc": _KUBECTL,
    "helm": _KUBECTL,
    "terraform": _TERRAFORM,
    "tofu": _TERRAFORM,
    "pulumi": Program(
        "-C --cwd --color -v --verbose --profiling --tracing",
        "--disable-integrity-checking -e --emoji --logflow --logtostderr --non-interactive",
        aliases="update=up rm=destroy",
    ),
    "gh": _GH,
    "glab": _GH,
    "aws": Program(
        "--profile --region --endpoint-url --output --query --ca-bundle --cli-read-timeout --cli-connect-timeout "
        "--cli-binary-format --color",
        "--debug --no-verify-ssl --no-paginate --no-sign-request --no-cli-auto-prompt --cli-auto-prompt",
        "--no-cli-pager",
    ),
    "gcloud": Program(
        "--project --account --configuration --format --verbosity --billing-project --impersonate-service-account "
        "--flags-file --flatten --trace-token --access-token-file",
        "--quiet -q --log-http --no-log-http --user-output-enabled --no-user-output-enabled",
        groups="alpha beta preview",
    ),
    "az": Program("--subscription -o --output --query", "--debug --only-show-errors --verbose"),
    "systemctl": Program(
        "-t --type --state -p --property -P -H --host -M --machine --root --image -n --lines -o --output -s --signal "
        "--kill-whom --job-mode --what --timestamp",
        "--user --system --global -a --all -r --recursive -l --full -q --quiet --no-pager --no-block --no-wall --now "
        "-f --force --no-legend --plain --failed --runtime --no-ask-password --no-reload --wait",
    ),
    "apt": _APT,
    "apt-get": _APT,
    "dnf": _APT,
    "yum": _APT,
    "apk": _APT,
    "zypper": _APT,
    "brew": Program(
        flags="-v -d --debug", plain="-q --quiet --verbose", aliases="rm=uninstall remove=uninstall ln=link"
    ),
    "gem": Program("--config-file", "--no-user-install -v", aliases="i=install"),
    "bundle": Program("--retry -r", "--no-color -V --verbose", aliases="i=install e=exec", runs="exec"),
    "dotnet": Program(
        "--additionalprobingpath --additional-deps --fx-version --roll-forward", "-d --diagnostics --info"
    ),
    "composer": Program(
        "-d --working-dir",
        "-n --no-interaction --no-plugins --no-scripts --no-cache --profile --ansi --no-ansi",
        "-q --quiet -v -vv -vvv --verbose",
        abbreviates=True,
    ),
    "fly": Program("-t --access-token", "--debug --verbose", aliases="rm=destroy"),
    "heroku": Program("-a --app -r --remote"),
    "vercel": Program(
        "-A --local-config -Q --global-config -t --token -S --scope --cwd", "-d --debug --no-color", aliases="rm=remove"
    ),
    "vagrant": Program(flags="--color --no-color --machine-readable -v --debug --timestamp --no-tty"),
    "nix": Program(
        "--option --log-format --extra-experimental-features --experimental-features",
        "--debug --offline -L",
        "-v --verbose --quiet",
    ),
}
# Other names of these programs, as patterns, and Python modules that are one of them.
_NAMES = {"pip3*": "pip", "pip2*": "pip", "flyctl": "fly", "mamba": "conda", "docker-compose*": "docker compose"}
_NAMES |= {"npx": "npm exec", "pnpx": "pnpm dlx", "bunx": "bun x", "uvx": "uv tool run"}
_MODULES = ("pip", "pipx", "uv", "poetry", "pdm", "conda")
_CONFIG = ("get", "set", "list", "unset", "edit")  # subcommands of `git config`


def without_plain_options(words: Sequence[str]) -> list[str]:
    """The words without options before the subcommand that change nothing about what is done."""
    plain = PROGRAMS[words[0]].plain if words and words[0] in PROGRAMS else ()
    at = 1
    while at < len(words) and words[at] in plain and not isinstance(words[at], Live):
        at += 1
    return [*words[:1], *words[at:]]


class SubcommandLine:
    """What a command line of such a program may name. In place of a Pattern, for rules that deny or ask."""

    __slots__ = ("is_unsure", "canonical", "_program", "_words", "_name", "_sets")
    is_open = False

    def __init__(self, name: str, words: Sequence[str], program: Program | None = None) -> None:
        self._name = name
        self._program = program or PROGRAMS[name]
        self._words = words  # behind the name
        self._sets = False  # whether a setting may name a program
        self.is_unsure, subcommand = self._read()
        # The words with the options before the subcommand left out.
        self.canonical = [name, *words[subcommand:]]

    def _read(self) -> tuple[bool, int]:
        """Whether it is not known what the subcommand is, and where it is if it is."""
        unsure = False
        at = 0
        while at < len(self._words):
            word = self._words[at]
            if isinstance(word, Live):
                return True, at
            if word == "--":
                return unsure, at + 1
            if word[:1] not in ("-", "+") or word == "-":
                return unsure, at
            takes = self._program.takes(word)
            unsure = unsure or takes is None
            value = self._words[at + 1 : at + 2] if takes else [word.partition("=")[2] or word[2:]]
            for text in value:
                unsure = unsure or isinstance(text, Live) or _is_among(text, self._program.unsure)
                self._sets = self._sets or self._names_a_program(word, text)
            at += 1 + (takes or 0)
        return unsure, at

    def _names_a_program(self, option: str, value: str) -> bool:
        """Whether an option of git is a setting, or a place of settings, that an agent may have written."""
        if not self._program.settings:
            return False
        if option == "-c":
            return _is_text(value) or not _is_among(value, self._program.settings)
        return option.startswith(("--git-dir", "--exec-path=")) and basename(value.rstrip("/")) != ".git"

    def evaluates(self) -> bool:
        """Whether it may run a text that is not read here: of an option, of a setting, of an alias."""
        program = self._program
        subcommand = next(iter(self.canonical[1:]), "")
        if self._sets or (program.known and subcommand and subcommand not in program.known | program.groups):
            return True
        if program.settings and subcommand == "config":
            key, *value = [word for word in self.canonical[2:] if word[:1] != "-" and word not in _CONFIG] or [""]
            return bool(value) and (_is_text(value[0]) or not _is_among(f"{key}={value[0]}", program.settings))
        if program.settings and any(map(_is_text, self._words)):
            return True
        reached = [self._reached(self._pattern(words)) for words in program.runs]
        if any(self._is_text_behind(at) for places in reached for at in places):
            return True
        return any(self._reached(self._pattern(words)) for words in program.evaluates)

    def _is_text_behind(self, at: int) -> bool:
        """Whether the command behind `npm exec` is a text: `-c TEXT`, before any other word."""
        while at < len(self._words) and self._words[at][:1] == "-":
            if self._words[at][:2] == "-c" or self._words[at][:3] == "--c":
                return True
            at += 2 if self._words[at] in ("-p", "--package") else 1
        return False

    def nested(self) -> list[list[str]]:
        """The commands that may be behind its own words, such as that of `uv run`."""
        reached = [self._reached(self._pattern(words)) for words in self._program.runs]
        return [[*self._words[at:]] for places in reached for at in self._reachable(places)]

    def _pattern(self, words: list[str]) -> Pattern:
        parsed = command_pattern(" ".join([self._name, *words]))
        assert parsed is not None, "the table is right"
        return parsed

    def within(self, other: Pattern) -> bool:
        """Whether a rule names this: its words in their order, with options between them, and its options anywhere."""
        return bool(self._reached(other))

    def _reached(self, other: Pattern) -> set[int]:
        """Where the words behind those of a rule may begin; nothing where it does not name this."""
        parts = [*other.parts]
        while parts and parts[-1] == ANY:
            parts.pop()
        if not parts or not _fits(self._name, parts[0]):
            return set()
        options = [part for part in parts[1:] if part[0] in ("-", "+", ":")]
        wanted = [part for part in parts[1:] if part[0] not in ("-", "+", ":")]
        if not all(any(_is_option(word, option, self._program) for word in self._words) for option in options):
            return set()
        places = {0}  # where the next word of the rule may be
        for number, part in enumerate(wanted):
            if part == ANY:
                places = set(range(min(places), len(self._words) + 1)) if places else places
                continue
            reached = set()
            for at in sorted(self._reachable(places)):
                word = self._words[at]
                if self._is_named(word, part, number == 0):
                    reached.add(at + 1)
                elif number == 0 and word in self._program.groups:
                    reached |= {
                        next_at + 1
                        for next_at in self._reachable({at + 1})
                        if self._is_named(self._words[next_at], part, True)
                    }
            places = reached
        return places

    def meets(self, other: Pattern) -> bool:
        return False

    def _reachable(self, places: set[int]) -> set[int]:
        """The words at or behind these places with nothing but options before them, in every reading."""
        found: set[int] = set()
        waiting = [*places]
        seen = set(waiting)
        for at in waiting:  # which grows meanwhile
            if at >= len(self._words):
                continue
            word = self._words[at]
            if word[:1] not in ("-", "+") or word == "-":
                found.add(at)
                continue
            takes = self._program.takes(word)
            for step in (1, 2) if takes is None else (1 + takes,):
                if at + step not in seen:
                    seen.add(at + step)
                    waiting.append(at + step)
        return found

    def _is_named(self, word: str, part: NameGlob, first: bool) -> bool:
        """Whether a word is the one of a rule; a first one also by another name of the same subcommand."""
        if isinstance(word, Live):
            return False  # the rules look at it as a word that may be any
        if _fits(word, part):
            return True
        if not first:
            return False
        if self._program.abbreviates and len(word) > 1 and not is_wild(part) and "".join(part).startswith(word):
            return True
        return any(_fits(meant, part) for meant in _meanings(self._program, word))


def invocations(words: Sequence[str]) -> list[SubcommandLine]:
    """What a command may be of a program with subcommands, by its bare name; nothing for any other program."""
    if not words or isinstance(words[0], Live):
        return []
    name, rest = words[0], [*words[1:]]
    if fnmatchcase(name, "python*"):
        name, rest = _module(rest) or (name, rest)
    for pattern, meant in _NAMES.items():
        if fnmatchcase(name, pattern):
            name, *before = meant.split()
            rest = [*before, *rest]
    if name in PROGRAMS:
        return [SubcommandLine(name, rest)]
    program, _, subcommand = name.partition("-")  # git-push is a program of git
    return [SubcommandLine(program, [subcommand, *rest])] if program in PROGRAMS and subcommand else []


def _module(words: list[str]) -> tuple[str, list[str]] | None:
    """The program that Python runs as a module, `-m pip`, `-Impip`, and the words behind it."""
    for at, word in enumerate(words):
        flags, found, module = word.partition("m")
        if found and flags[:1] == "-" and {*"-c"}.isdisjoint(flags[1:]):
            name, *rest = [*filter(None, [module]), *words[at + 1 :], ""]
            return (name, rest[:-1]) if name in _MODULES else None
    return None


def _meanings(program: Program, word: str) -> list[str]:
    """Other names of a subcommand, in both directions."""
    meant = program.aliases.get(word)
    return [*([meant] if meant else []), *(alias for alias, each in program.aliases.items() if each in (word, meant))]


def _is_text(word: str) -> bool:
    """Whether a word is an address of git, or sets one, that is a command: `ext::git push`."""
    return word.partition("=")[2].startswith("ext::") or word.startswith("ext::")


def _is_among(setting: str, patterns: tuple[str, ...]) -> bool:
    return any(fnmatchcase(setting.lower(), each) for each in patterns)


def _fits(word: str, part: NameGlob) -> bool:
    if not is_wild(part):  # nearly always, and a script may have thousands of words
        return word == "".join(part)
    return known([word]).within(Pattern([part]))


def _is_option(word: str, wanted: NameGlob, program: Program) -> bool:
    """Whether a word gives an option that a rule names: also cut short, with a value, or among other letters."""
    if isinstance(word, Live) or not word.startswith(wanted[0]):
        return False
    if _fits(word, wanted) or _fits(word.partition("=")[0], wanted):
        return True
    text = "".join(wanted)
    if text.startswith("--"):
        name = word.partition("=")[0]
        return len(name) > 2 and text.startswith(name) and name not in program.flags | program.valued
    return len(text) == 2 and not word.startswith("--") and text[1] in word[1:]
