"""Files that decide what other programs do: agents, shells, editors, version control, build hooks, and our own rules.

Data only: patterns of permission rules. Permission to write everywhere does not include these files: a rule has to name
one of them to allow it, because a program that reads it may run commands or grant rights afterwards.
"""

from __future__ import annotations

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
    ".opencode": "opencode",
    "opencode.json*": "opencode",
    ".cursor": "Cursor",
    ".cursorrules": "Cursor",
    ".windsurf": "Windsurf",
    ".mcp.json": "clients of tool servers",
    ".vscode": "Visual Studio Code",
    ".idea": "the editors of JetBrains",
    ".vimrc": "vim",
    ".exrc": "vim",
    ".nvim.lua": "vim",
    ".dir-locals.el": "Emacs",
    ".envrc": "direnv",
    ".git": "git",
    ".gitmodules": "git",
    ".gitattributes": "git",
    ".gitconfig": "git",
    ".hg": "Mercurial",
    ".husky": "git, by its hooks",
    ".pre-commit-config.yaml": "git, by its hooks",
    "lefthook.yml": "git, by its hooks",
    ".bash*": "bash",
    ".profile": "shells",
    ".zsh*": "zsh",
    ".zprofile": "zsh",
    ".zlogin": "zsh",
    ".inputrc": "bash",
    ".npmrc": "npm",
    ".ssh": "ssh",
}
