"""Files that decide what other programs do: agents, shells, editors, version control, build hooks, and our own rules.

Patterns of permission rules, and whether a path is covered by one. Permission to write everywhere does not include
these files: a rule has to name one of them to allow it, because what reads it may run commands or grant rights.
"""

from __future__ import annotations

from fnmatch import fnmatchcase

# what reads the files: their patterns
_READERS = {
    "our own rules": ".patchkit.toml",
    "our own rules, and the tools of Python": "pyproject.toml",
    "Claude Code": ".claude .claude.json CLAUDE.md CLAUDE.local.md",
    "Codex": ".codex AGENTS.override.md",
    "agents": "AGENTS.md AGENT.md .rules .agents",
    "Gemini CLI": ".gemini GEMINI.md",
    "Copilot": ".copilot **/.github/copilot*/ **/.github/hooks **/.github/instructions **/.github/prompts "
    "**/.github/agents **/.github/chatmodes **/.github/skills",
    "the jobs of a repository": "**/.github/workflows **/.github/actions **/.gitea/workflows "
    "**/.forgejo/workflows .gitlab-ci*.y*ml **/.gitlab/ci .circleci",
    "Jenkins": "Jenkinsfile*",
    "Travis CI": ".travis.y*ml",
    "Azure Pipelines": "azure-pipelines*.y*ml .azure-pipelines",
    "Bitbucket Pipelines": "bitbucket-pipelines.y*ml",
    "Buildkite": ".buildkite",
    "Woodpecker": ".woodpecker*",
    "Drone": ".drone.y*ml",
    "AppVeyor": ".appveyor.y*ml appveyor.y*ml",
    "Cirrus CI": ".cirrus.y*ml",
    "Semaphore": ".semaphore",
    "TeamCity": ".teamcity",
    "Tekton": ".tekton",
    "Cloud Build": "cloudbuild.y*ml",
    "CodeBuild": "buildspec.y*ml",
    "builds.sr.ht": ".builds",
    "opencode": ".opencode opencode.json*",
    "Cursor": ".cursor .cursorrules",
    "Windsurf": ".windsurf*",
    "Aider": ".aider*",
    "Amazon Q": ".amazonq",
    "Cline": ".clinerules",
    "Continue": ".continue",
    "Crush": ".crush*",
    "Factory": ".factory",
    "goose": ".goose*",
    "Junie": ".junie",
    "Kiro": ".kiro",
    "Qwen Code": ".qwen QWEN.md",
    "Roo Code": ".roo*",
    "Kilo Code": ".kilocode*",
    "Trae": ".trae",
    "Augment": ".augment*",
    "Warp": ".warp WARP.md",
    "Amp": ".amp",
    "OpenHands": ".openhands",
    "Zencoder": ".zencoder",
    "clients of tool servers": ".mcp.json mcp.json",
    "Visual Studio Code": ".vscode *.code-workspace",
    "the editors of JetBrains": ".idea",
    "Zed": ".zed",
    "development containers": ".devcontainer*",
    "Helix": ".helix",
    "vim": ".vim .vimrc .nvim .nvimrc .lazy.lua .exrc .nvim.lua",
    "Sublime Text": "*.sublime-project",
    "Emacs": ".dir-locals*.el .emacs*",
    "the debugger of Python": ".pdbrc*",
    "R": ".Rprofile .Renviron",
    "Ruby": ".irbrc .pryrc",
    "psql": ".psqlrc",
    "sqlite": ".sqliterc",
    "gdb": ".gdbinit",
    "lldb": ".lldbinit",
    "direnv": ".envrc",
    "mise": ".mise* mise*.toml",
    "asdf and mise": ".tool-versions",
    "git": ".git .gitmodules .gitattributes .gitconfig",
    "Mercurial": ".hg .hgrc",
    "Jujutsu": ".jj",
    "Subversion": ".svn",
    "git, by its hooks": ".husky .githooks .git-hooks .overcommit.yml .pre-commit-config.y*ml lefthook*.* .lefthook*",
    "bash": ".bash* .inputrc",
    "shells": ".profile",
    "zsh": ".zsh* .zprofile .zlogin",
    "ksh": ".kshrc",
    "csh": ".cshrc .tcshrc .login",
    "tmux": ".tmux.conf",
    "screen": ".screenrc",
    "desktop sessions": ".xprofile .xinitrc .xsession*",
    "programs of a user": ".config",
    "npm": ".npmrc",
    "pnpm": ".pnpmfile*",
    "Yarn": ".yarnrc*",
    "cargo": ".cargo",
    "tools of Python": ".pypirc",
    "programs that connect": ".netrc",
    "curl": ".curlrc",
    "wget": ".wgetrc",
    "ssh": ".ssh",
}
STEERING = {pattern: program for program, patterns in _READERS.items() for pattern in patterns.split()}


def steers(path: str) -> bool:
    """Whether a path from the root, or one of the directories on it, is one of these files."""
    names = ["/", *path.split("/")]
    rows = [pattern.removeprefix("**/").rstrip("/").split("/") for pattern in STEERING]
    return any(
        all(fnmatchcase(name.lower(), wanted.lower()) for name, wanted in zip(names[at:], row, strict=False))
        for row in rows
        for at in range(len(names) - len(row) + 1)
    )
