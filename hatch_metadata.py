"""Adds the addresses of the project to its metadata: those of the repository that it is built from.

The project is not published under one address yet, and an address written here would be wrong in every copy. So a
build takes the remote 'origin' of its checkout, which is also there for `pip install git+URL`; PATCHKIT_REPOSITORY sets
another one. A build without either has no addresses. The source distribution carries what was found.
"""

from __future__ import annotations

import os
import re
import subprocess

_WEB = re.compile(r"https?://(?:[^/@]*@)?(?P<host>[^/@\s]+)/(?P<path>[^\s?#]+)")
_SHELL = re.compile(r"(?:ssh://)?[^/@\s]+@(?P<host>[^:/\s]+)(?::\d+)?[:/](?P<path>[^\s?#]+)")


def urls(remote: str) -> dict[str, str]:
    """The addresses of a repository by their labels; none for one that is not on the web. A password is left out."""
    found = _WEB.fullmatch(remote) or _SHELL.fullmatch(remote)
    if found is None:
        return {}
    home = f"https://{found['host']}/{found['path'].strip('/').removesuffix('.git')}"
    pages = {"Documentation": "docs", "Changelog": "CHANGELOG.md"}  # SARIF reports add the page of a code to the first
    return {
        "Homepage": home,
        **{label: f"{home}/blob/HEAD/{path}" for label, path in pages.items()},
        "Issues": f"{home}/issues",
    }


def remote_of(root: str) -> str:
    """The address that the checkout at `root` comes from; '' where there is none."""
    named = os.environ.get("PATCHKIT_REPOSITORY")
    if named is not None or not os.path.exists(os.path.join(root, ".git")):
        return named or ""
    try:
        command = ["git", "-C", root, "remote", "get-url", "origin"]
        return subprocess.run(command, capture_output=True, text=True, check=True, timeout=10).stdout.strip()
    except (OSError, subprocess.SubprocessError):
        return ""


try:
    from hatchling.metadata.plugin.interface import MetadataHookInterface
except ImportError:  # imported by the tests, not by a build
    pass
else:

    class AddressHook(MetadataHookInterface):
        """Called by the build."""

        def update(self, metadata: dict[str, object]) -> None:
            metadata["urls"] = urls(remote_of(self.root))
