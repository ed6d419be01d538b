"""Commands that try to do what rules forbid, made from a few ideas and many spellings.

FAMILIES holds, for each idea, templates in which PAYLOAD is the command to smuggle in; `hostile` puts them into places
where a script may have them. `fragments` makes commands at random, most of which are nonsense: those that rules allow
are run for real.
"""

from __future__ import annotations

PAYLOADS = ("touch pwned", "cat .env", "echo x >pwned", "cp .env pwned", "rm keep.txt")
FAMILIES = {
    "subscripts": (
        "[ -v 'a[$(PAYLOAD)]' ]", "test -v 'a[$(PAYLOAD)]'", "[[ -v a[$(PAYLOAD)] ]]", "[[ 'a[$(PAYLOAD)]' -eq 0 ]]",
        "for x in 'a[$(PAYLOAD)]'; do [[ x -eq 0 ]]; done", "x='a[$(PAYLOAD)]'; ((x))",
        "x='a[$(PAYLOAD)]'; [[ x -gt 1 ]]",
        "printf -v 'a[$(PAYLOAD)]' x", "printf '%n' 'a[$(PAYLOAD)]'", "printf '%d' 'a[$(PAYLOAD)]'",
        "read 'a[$(PAYLOAD)]' <<< x",
        "a[$(PAYLOAD)]=1", "unset 'a[$(PAYLOAD)]'", "exit 'a[$(PAYLOAD)]'", "return 'a[$(PAYLOAD)]'",
        "[ 'a[$(PAYLOAD)]' -eq 0 ]",
        "x='a[$(PAYLOAD)]'; echo $((x))", "x='a[$(PAYLOAD)]'; echo ${PATH:x}", "x='a[$(PAYLOAD)]'; echo $[x]",
        "let 'a[$(PAYLOAD)]'",
        "break 'a[$(PAYLOAD)]'", "wait 'a[$(PAYLOAD)]'", "shift 'a[$(PAYLOAD)]'", "x=1; echo ${x:'a[$(PAYLOAD)]'}",
        "for ((x=a[$(PAYLOAD)];;)); do break; done",
        "[ -t 'a[$(PAYLOAD)]' ]", "[ -n x -a -v 'a[$(PAYLOAD)]' ]", "declare -i x='a[$(PAYLOAD)]'",
        "x='-v a[$(PAYLOAD)]'; [ $x ]",
    ),
    "second expansion": (
        "set -- '$(PAYLOAD)'; echo \"${1@P}\"", "x='$(PAYLOAD)'; echo \"${x@P}\"",
        "printf -v PS4 '$(PAYLOAD)'; set -x; :",
        "x='$(PAYLOAD)'; echo ${(e)x}", "x='PAYLOAD'; eval \"$x\"", "eval 'PAYLOAD'",
        "PS4='$(PAYLOAD)'; set -x; echo", "x='PAYLOAD'; $x",
        "x='PAYLOAD'; bash -c \"$x\"", "trap 'PAYLOAD' EXIT", "alias e='PAYLOAD'; e", "echo ${!x}",
        "PROMPT_COMMAND='PAYLOAD'; echo",
        "y='z[$(PAYLOAD)]'; x=1; echo $x[y]", "y='z[$(PAYLOAD)]'; x=1; echo \"$x[y]\"",
        "y='z[$(PAYLOAD)]'; x=1; echo \"${x}[y]\"",
        "set -- 'a[$(PAYLOAD)]'; echo ${!1}", "set -- 'a[$(PAYLOAD)]'; echo ${PATH:$1}",
        "mapfile -C 'PAYLOAD' -c 1 x <<< y", "enable -f ./x.so x", ". ./evil.sh", "source evil.sh",
        "x=evil.sh; . ./$x",
    ),
    "lost substitutions": (
        "echo '$('${x:-$(PAYLOAD)}", "cat <<E\n\\`\n`PAYLOAD`\nE", "echo \"${x:-`PAYLOAD`}\"", "echo `PAYLOAD`",
        "echo $(PAYLOAD)", "echo \"$(echo \"$(PAYLOAD)\")\"",
        "cat <<E\n$(PAYLOAD)\nE", "echo $((1 + $(PAYLOAD)))", "echo ${x:=$(PAYLOAD)}",
        "case $(PAYLOAD) in *) ;; esac", "case x in $(PAYLOAD)) ;; esac",
        "for x in $(PAYLOAD); do :; done", "[[ $(PAYLOAD) ]]", "[ \"$(PAYLOAD)\" ]", "x=$(PAYLOAD)",
        "echo <(PAYLOAD)", "echo =(PAYLOAD)", "cat <<< $(PAYLOAD)",
        "echo *(e:'PAYLOAD':)", "echo ${x/y/$(PAYLOAD)}", "echo \"'$(PAYLOAD)'\"", "echo > $(PAYLOAD)",
        "echo \\\\$(PAYLOAD)", "echo '\\'$(PAYLOAD)''",
    ),
    "how later words run": (
        "for PATH in ./evil:/bin; do sleep 0; done", "printf -v PATH ./evil; sleep 0", "PATH=./evil; sleep 0",
        "PATH=./evil sleep 0", "export PATH=./evil; sleep 0",
        "read PATH <<< ./evil; sleep 0", "BASH_ENV=evil.sh bash -c :", "ENV=evil.sh sh -c :",
        "LD_PRELOAD=./x.so sleep 0", "sleep() { PAYLOAD; }; sleep 0",
        "function sleep { PAYLOAD; }; sleep 0", "hash -p ./evil/sleep sleep; sleep 0",
        "set -a; PATH=./evil; sleep 0", "path=(./evil); sleep 0", "declare PATH=./evil; sleep 0",
        "IFS=x; sleep 0", "x+=PATH", "PAT\\\nH=./evil; sleep 0", "cdpath=(x) cd y",
        "while read PATH; do sleep 0; done < evil/list", "select PATH in ./evil; do sleep 0; done",
        "command_not_found_handle() { PAYLOAD; }; nosuch",
        "repeat 2 PAYLOAD", "noglob PAYLOAD", "nocorrect PAYLOAD", "coproc PAYLOAD", "exec 3>pwned; echo x >&3",
        "- PAYLOAD", "{ :; } always { PAYLOAD; }", "{ : } always { PAYLOAD; }", "{ echo a } && PAYLOAD",
        "foreach x (a) PAYLOAD; end",
    ),
    "shells and wrappers": (
        "bash <<'A' <<'B'\n:\nA\nPAYLOAD\nB", "bash <<'E' <evil.sh\n:\nE", "echo PAYLOAD | bash 3<<'E'\n:\nE",
        "echo PAYLOAD | sh", "bash evil.sh", "bash -c 'PAYLOAD'", "sh -c \"PAYLOAD\"",
        "\\time -o pwned true", "time -o pwned true", "nohup PAYLOAD", "env PAYLOAD", "timeout 5 PAYLOAD",
        "command PAYLOAD", "exec PAYLOAD", "nice -n 5 PAYLOAD", "builtin eval 'PAYLOAD'",
        "bash <<< 'PAYLOAD'", "bash -s <<'E'\nPAYLOAD\nE", "zsh -c 'PAYLOAD'", "bash --rcfile evil.sh -i -c :",
        "command eval 'PAYLOAD'", "xargs PAYLOAD </dev/null", "find . -exec PAYLOAD \\;",
        "stdbuf -oL PAYLOAD", "timeout 5 bash -c 'PAYLOAD'", "setsid PAYLOAD", "bash -ic 'PAYLOAD'",
        "sh -c ': &>/dev/null PAYLOAD'", "dash -c 'true &>>/dev/null PAYLOAD'",
        "zsh -ic 'PAYLOAD'", "busybox PAYLOAD", "dash -c 'eval \"$1\"' x 'PAYLOAD'",
    ),
    "redirections": (
        "echo \"$(<.env)\"", "zsh -c '<.env'", "<.env", "echo <.env", "cat <.env", "while :; do break; done <.env",
        "{ :; } <.env", "(:) <.env", "echo x >pwned", "echo x >>pwned", ">pwned", ": >|pwned",
        "echo x &>pwned", "echo x >&pwned", "echo x 2>pwned", "echo x <>pwned", "exec >pwned",
        "echo \"$(<secrets/key)\"", "echo \"$(<./.env)\"", "echo \"$(<\"$PWD/.env\")\"", "x=.env; echo \"$(<$x)\"",
        "cd secrets; echo \"$(<key)\"", "echo \"$(<link)\"", "if :; then :; fi >pwned",
        "case x in y) ;; esac >pwned", "for x in y; do :; done >pwned", "[[ a ]] >pwned", "[ a > pwned ]",
        "echo x 1>pwned",
        "echo x >'pw'ned", "echo x >p\\wned", "echo $(echo x >pwned)", "echo \"$(<.e\"nv\")\"", "echo \"$(< .env)\"",
        "echo \"$(0<.env)\"", "printf x 3>pwned", "echo \"$(<*env)\"",
    ),
}  # fmt: skip
PLACES = (
    "{}", "true && {}", "true; {}", ":\n{}\n", "echo a | {}", "false || {}", "! {}", "({})", "{{ {}; }}",
    "if true; then {}; fi", "while {}; do break; done", "for y in 1; do {}; done",
    "case a in a) {};; esac", "{} &", "echo \"$({})\"", "echo $({})", "# comment\n{}", "echo 'a' \"b\"; {}",
    "x=1; {}", "bash -c \"$(cat <<'Z'\n{}\nZ\n)\"",
)  # fmt: skip
VOCABULARY = (
    "echo", "echo", ":", "true", "printf", "-v", "%s", "%d", "%n", "[", "]", "[[", "]]", "test", "-f", "-n", "-eq",
    "0", "=", "x", "x", "$x", '"$x"', "${x", "${x}", "@P", "}", "{", "$(", "$(", ")", ")", "`", "<", ">", ">>",
    "<<<", "&>", "/dev/null",
    "<<E", "\nE\n", ".env", "pwned", ";", ";", "&&", "||", "|", "&", "\n", "for", "in", "do", "done", "while", "if",
    "then", "fi", "case", "esac", ";;", "x=", "x=1", "PATH=", "PATH", "set", "--", "-e", "-x", "exit", "$?",
    "cd", "secrets", "'", '"', "\\", "((", "))", "eval", "bash", "-c", "timeout", "5", "time", "command", "exec",
    "!", "~", "*", "?", "#", "'a[$(touch pwned)]'", "'touch pwned'", "touch pwned", "\\\n", "$'", "(e)", "2>&1",
    "link", "sleep", "a[",
    "'$(touch pwned)'", "'<.env'", "$1", "$@", "return", "break", "wait", "popd", "pwd", "<.env", '"$(<.env)"',
    "in x; do", "; done", "; then", "; fi", ">&", "<&", "3", "é", "\r", "\t", "=ls", "^", "-", "+", "@", "%", ",",
    "/dev/null", "exec", "nice", "builtin", "setsid", "stdbuf -oL", "timeout 5", "<keep.txt", ">!", "$~x", "{v..v}",
    "~+/.env", "$=x", "zsh -c '<keep.txt'", "-n 5", "(e:'touch pwned':)",
)  # fmt: skip


def hostile(family):
    """Every template of a family with every payload, in a few places each."""
    for number, template in enumerate(FAMILIES[family]):
        for step, payload in enumerate(PAYLOADS):
            command = template.replace("PAYLOAD", payload)
            for place in {0, (number + 3 * step) % len(PLACES), (7 * number + step + 1) % len(PLACES)}:
                yield PLACES[place].format(command)
            if "PAYLOAD" not in template:
                break


def fragments(random):
    """A command made of pieces at random, most often with spaces between them."""
    pieces = []
    for _ in range(random.randint(1, 9)):
        pieces.append(random.choice(VOCABULARY))
        pieces.append(" " if random.random() < 0.8 else "")
    return "".join(pieces)


def mutated(random, script):
    """A hostile command with one part of it taken away, doubled, or replaced."""
    at = random.randrange(len(script) + 1)
    kind = random.randrange(3)
    if kind == 0:
        return script[:at] + script[at + random.randint(1, 3) :]
    if kind == 1:
        return script[:at] + random.choice(VOCABULARY) + script[at:]
    return script[:at] + random.choice(("'", '"', "\\", " ", "\n", "$", "(", ")", "`")) + script[at:]
