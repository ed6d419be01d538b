"""Fetch source archives by package name and version, and read the files in them.

Takes a name, a version and a cache directory; gives {path: bytes} without the archive's top
directory. `pip` is asked where an archive lies, so its index, mirrors and certificates are the
user's own; the archive itself is fetched directly because `pip download` would try to build it.
"""

import hashlib
import io
import os
import re
import ssl
import subprocess
import sys
import tarfile
import urllib.request
import zipfile
from pathlib import Path

LINK = re.compile(r"Found link (\S+) \(from")
ARCHIVE = re.compile(r"(?P<name>.+)-(?P<version>\d[^-]*)\.(?:tar\.gz|tar\.bz2|tgz|zip)$")
LARGEST_FILE = 150_000


class UnavailableError(Exception):
    """A release could not be fetched; the message says which and why."""


def release(name, version, cache):
    """The text files of one release, from the cache where it has been before."""
    folder = Path(cache) / "archives"
    folder.mkdir(parents=True, exist_ok=True)
    known = [path for path in folder.iterdir() if _is(path.name, name, version)]
    archive = known[0] if known else _fetch(name, version, folder)
    return dict(_members(archive))


def _is(file_name, name, version):
    found = ARCHIVE.match(file_name)
    return bool(found) and found["version"] == version and _plain(found["name"]) == _plain(name)


def _plain(name):
    return re.sub(r"[-_.]+", "-", name).lower()


def _fetch(name, version, folder):
    for link in _links(name):
        address, _, digest = link.partition("#")
        file_name = address.rsplit("/", 1)[-1]
        if not _is(file_name, name, version):
            continue
        try:
            with urllib.request.urlopen(address, timeout=180, context=_certificates()) as answer:
                content = answer.read()
        except OSError as error:
            raise UnavailableError(f"{name} {version}: {error}") from error
        algorithm, _, expected = digest.partition("=")
        if expected and hashlib.new(algorithm, content).hexdigest() != expected:
            raise UnavailableError(f"{name} {version}: the archive does not have the hash of the index")
        return _store(folder / file_name, content)
    raise UnavailableError(f"{name} {version}: no source archive in the index")


def _links(name):
    if name not in _LINKS:
        command = [sys.executable, "-m", "pip", "index", "versions", "-vv", name]
        _LINKS[name] = LINK.findall(subprocess.run(command, capture_output=True, text=True).stdout)
    return _LINKS[name]


_LINKS = {}


def _certificates():
    bundle = os.environ.get("PIP_CERT") or os.environ.get("SSL_CERT_FILE")
    return ssl.create_default_context(cafile=bundle)


def _store(path, content):
    # Under another name first: a run cut short must not leave half an archive that looks whole.
    partial = path.with_name(path.name + ".part")
    partial.write_bytes(content)
    partial.rename(path)
    return path


def _members(archive):
    if archive.suffix == ".zip":
        with zipfile.ZipFile(archive) as box:
            for entry in box.infolist():
                if not entry.is_dir() and entry.file_size <= LARGEST_FILE:
                    yield _inside(entry.filename), box.read(entry)
        return
    with tarfile.open(fileobj=io.BytesIO(archive.read_bytes())) as box:
        for entry in box:
            if entry.isfile() and entry.size <= LARGEST_FILE:
                yield _inside(entry.name), box.extractfile(entry).read()


def _inside(name):
    return name.split("/", 1)[-1]
