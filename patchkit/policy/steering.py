"""Files that decide what other programs do: agents, shells, editors, version control, build hooks, and our own rules.

Patterns of permission rules, and whether a path is covered by one. Permission to write everywhere does not include
these files: a rule has to name one of them to allow it, because what reads it may run commands or grant rights.
"""

from __future__ import annotations

from fnmatch import fnmatchcase

# pattern: what reads the file
STEERING = {
    ".patchkit.toml": "our own rules",
    "pyproject.toml": "our own rules, and the tools of Python",
    ".claude": "Claude Code",
    ".claude.json": "Claude Code",
    "CLAUDE.md": "Claude Code",
    ".codex": "Codex",
    "AGENTS.md": "agents",
    ".agents": "agents",
    ".gemini": "Gemini CLI",
    "GEMINI.md": "Gemini CLI",
    ".copilot": "Copilot",
    "**/.github/copilot*": "Copilot",
    "**/.github/hooks": "Copilot",
    "**/.github/workflows": "the jobs of a repository",
    "**/.github/actions": "the jobs of a repository",
    ".gitlab-ci.yml": "the jobs of a repository",
    ".circleci": "the jobs of a repository",
    ".opencode": "opencode",
    "opencode.json*": "opencode",
    ".cursor": "Cursor",
    ".cursorrules": "Cursor",
    ".windsurf*": "Windsurf",
    ".aider*": "Aider",
    ".amazonq": "Amazon Q",
    ".clinerules": "Cline",
    ".continue": "Continue",
    ".crush*": "Crush",
    ".factory": "Factory",
    ".goose*": "goose",
    ".junie": "Junie",
    ".kiro": "Kiro",
    ".qwen": "Qwen Code",
    ".roo*": "Roo Code",
    ".mcp.json": "clients of tool servers",
    ".vscode": "Visual Studio Code",
    ".idea": "the editors of JetBrains",
    ".zed": "Zed",
    ".devcontainer*": "development containers",
    ".vimrc": "vim",
    ".nvimrc": "vim",
    ".exrc": "vim",
    ".nvim.lua": "vim",
    ".dir-locals*.el": "Emacs",
    ".emacs*": "Emacs",
    ".gdbinit": "gdb",
    ".lldbinit": "lldb",
    ".envrc": "direnv",
    ".mise*": "mise",
    "mise*.toml": "mise",
    ".tool-versions": "asdf and mise",
    ".git": "git",
    ".gitmodules": "git",
    ".gitattributes": "git",
    ".gitconfig": "git",
    ".hg": "Mercurial",
    ".hgrc": "Mercurial",
    ".jj": "Jujutsu",
    ".svn": "Subversion",
    ".husky": "git, by its hooks",
    ".pre-commit-config.y*ml": "git, by its hooks",
    "lefthook*.*": "git, by its hooks",
    ".lefthook*": "git, by its hooks",
    ".bash*": "bash",
    ".profile": "shells",
    ".zsh*": "zsh",
    ".zprofile": "zsh",
    ".zlogin": "zsh",
    ".inputrc": "bash",
    ".kshrc": "ksh",
    ".cshrc": "csh",
    ".tcshrc": "csh",
    ".login": "csh",
    ".tmux.conf": "tmux",
    ".screenrc": "screen",
    ".xprofile": "desktop sessions",
    ".xinitrc": "desktop sessions",
    ".xsession*": "desktop sessions",
    ".config": "programs of a user",
    ".npmrc": "npm",
    ".pnpmfile*": "pnpm",
    ".yarnrc*": "Yarn",
    ".cargo": "cargo",
    ".pypirc": "tools of Python",
    ".netrc": "programs that connect",
    ".curlrc": "curl",
    ".wgetrc": "wget",
    ".ssh": "ssh",
}


def steers(path: str) -> bool:
    """Whether a path from the root, or one of the directories on it, is one of these files."""
    names = ["/", *path.split("/")]
    rows = [pattern.removeprefix("**/").split("/") for pattern in STEERING]
    return any(
        all(fnmatchcase(name.lower(), wanted.lower()) for name, wanted in zip(names[at:], row, strict=False))
        for row in rows
        for at in range(len(names) - len(row) + 1)
    )
