"""Run appliers over cases, on several processor cores.

Takes cases and appliers; gives one list of Outcomes per applier, None where an applier has no way to
be asked. Every case gets a fresh directory.
"""

import multiprocessing
import os
import shutil
import tempfile
import time

from .outcomes import try_case

# Cases reach the workers by fork, not through a pipe: they are many and large.
_SHARED = {}


def run(cases, appliers, jobs=2, say=print):
    results = {}
    for applier in appliers:
        with tempfile.TemporaryDirectory(prefix="accuracy-", dir=_quick_folder()) as scratch:
            _SHARED.update(cases=cases, applier=applier, scratch=scratch)
            began = time.monotonic()
            with multiprocessing.get_context("fork").Pool(jobs) as pool:
                results[applier.name] = pool.map(_one, range(len(cases)), chunksize=16)
                pool.close()
                pool.join()
            say(f"{applier.name}: {len(cases)} cases in {time.monotonic() - began:.0f} s")
    return results


def _quick_folder():
    return "/dev/shm" if os.access("/dev/shm", os.W_OK) else None


def _one(number):
    case, applier = _SHARED["cases"][number], _SHARED["applier"]
    if not applier.takes(case):
        return None
    root = os.path.join(_SHARED["scratch"], f"case-{number}")
    os.mkdir(root)
    try:
        return try_case(applier, case, root)
    finally:
        shutil.rmtree(root, ignore_errors=True)
