"""Files that decide what other programs do: agents, shells, editors, version control, build hooks, and our own rules.

Patterns of permission rules, and whether a path is covered by one. Permission to write everywhere does not include
these files: a rule has to name one of them to allow it, because what reads it may run commands or grant rights.
"""

from __future__ import annotations

from fnmatch import fnmatchcase

# docs/safety.md says which program reads each.
STEERING = (
    # our own rules, and the tools of Python
    ".patchkit.toml pyproject.toml "
    # agents
    ".claude .claude.json CLAUDE.md CLAUDE.local.md .codex AGENTS.override.md AGENTS.md AGENT.md .rules .agents "
    ".gemini GEMINI.md .copilot **/.github/copilot*/ **/.github/hooks **/.github/instructions **/.github/prompts "
    "**/.github/agents **/.github/chatmodes **/.github/skills "
    # jobs of a repository
    "**/.github/workflows **/.github/actions **/.gitea/workflows **/.forgejo/workflows .gitlab-ci*.y*ml "
    "**/.gitlab/ci .circleci Jenkinsfile* .travis.y*ml azure-pipelines*.y*ml .azure-pipelines "
    "bitbucket-pipelines.y*ml .buildkite .woodpecker* .drone.y*ml .appveyor.y*ml appveyor.y*ml .cirrus.y*ml "
    ".semaphore .teamcity .tekton cloudbuild.y*ml buildspec.y*ml .builds "
    # more agents
    ".opencode opencode.json* .cursor .cursorrules .windsurf* .aider* .amazonq .clinerules .continue .crush* "
    ".factory .goose* .junie .kiro .qwen QWEN.md .roo* .kilocode* .trae .augment* .warp WARP.md .amp .openhands "
    ".zencoder .mcp.json mcp.json "
    # editors, debuggers and shells of languages
    ".vscode *.code-workspace .idea .zed .devcontainer* .helix .vim .vimrc .nvim .nvimrc .lazy.lua .exrc .nvim.lua "
    "*.sublime-project .dir-locals*.el .emacs* .pdbrc* .Rprofile .Renviron .irbrc .pryrc .psqlrc .sqliterc .gdbinit "
    ".lldbinit "
    # environments
    ".envrc .mise* mise*.toml .tool-versions "
    # version control and its hooks
    ".git .gitmodules .gitattributes .gitconfig .hg .hgrc .jj .svn .husky .githooks .git-hooks .overcommit.yml "
    ".pre-commit-config.y*ml lefthook*.* .lefthook* "
    # shells, terminals and sessions
    ".bash* .inputrc .profile .zsh* .zprofile .zlogin .kshrc .cshrc .tcshrc .login .tmux.conf .screenrc .xprofile "
    ".xinitrc .xsession* .config "
    # tools that fetch and connect
    ".npmrc .pnpmfile* .yarnrc* .cargo .pypirc .netrc .curlrc .wgetrc .ssh"
).split()


def steers(path: str) -> bool:
    """Whether a path from the root, or one of the directories on it, is one of these files."""
    names = ["/", *path.split("/")]
    rows = [pattern.removeprefix("**/").rstrip("/").split("/") for pattern in STEERING]
    return any(
        all(fnmatchcase(name.lower(), wanted.lower()) for name, wanted in zip(names[at:], row, strict=False))
        for row in rows
        for at in range(len(names) - len(row) + 1)
    )
