"""Help texts of the lean command, kept out of its way."""

from __future__ import annotations

from patchkit import __version__

_HELP = """\
Apply a '*** Begin Patch' … '*** End Patch' text: all of it, or nothing.

Usage: apply_patch [OPTIONS] 'PATCH'
       apply_patch [OPTIONS] < FILE
       apply_patch [OPTIONS] -

Options:
  --check            say whether the patch applies; write nothing
  --diff             print what changes as a unified diff, after the summary
  --stat, --numstat  print how many lines change, as a table or for programs
  --json             print one JSON result instead of text
  --strict           exact matches and the bare grammar only, nothing forgiven
  --max-pass NAME    the most tolerant way a hunk may fit: exact,
                     trailing-space, surrounding-space, typography, rewritten,
                     blank-lines, context-line (default)
  --encoding NAME    what files are kept in that are neither UTF-8 nor say so
                     themselves, such as gbk, shift_jis or cp1252
  --overwrite        let Add and Move replace existing files
  --forward          skip hunks and new files that are there already
  --dialect NAME     how the patch is meant: 'safe' (default), or 'codex':
                     overwrite, first match wins, final newline added,
                     sections committed one by one
  --root DIR         the workspace nothing may leave (default: PATCHKIT_ROOT,
                     else the current directory)
  -C DIR             where relative paths start, inside the workspace
  --allow-vcs        let the patch change the insides of .git, .hg and .svn
  --allow-owner-change
                     write files whose owner cannot be kept
  --keep-links       write to a file that has several hard links instead of
                     replacing it; whoever reads it meanwhile may see half
  --max-patch-bytes N
                     how large a patch may be (default: 67108864)
  --no-sync          do not wait for the disk; the journal is kept all the same
  --no-history       do not keep what 'patchkit undo' needs (also:
                     PATCHKIT_NO_HISTORY=1)
  --as-agent         nobody is asked: what rules would ask a person is denied
                     (also: PATCHKIT_AGENT=1)
  -i, --interactive  ask of every hunk whether to apply it; PATCH may name a
                     file; what you leave is printed as a patch
  --rest FILE        write what '-i' leaves to this file instead
  --color WHEN       when to use colour: 'auto' (default: on terminals; NO_COLOR
                     and FORCE_COLOR are heard), 'always' or 'never'
  -q, --quiet        no summary and no notes; errors are always shown
  -h, --help         show this text
  --version          show the version

Exit status: 0 applied, or nothing to change; 1 refused, nothing written;
2 usage.

Example:
  apply_patch <<'EOF'
  *** Begin Patch
  *** Update File: src/app.py
  @@ def greet():
  -    print("Hi")
  +    print("Hello, world!")
  *** End Patch
  EOF
"""


def apply_patch_help() -> str:
    return _HELP


def version() -> str:
    return f"apply_patch {__version__} (patchkit)\n"
