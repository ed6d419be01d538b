"""`python -m patchkit`: the same as the `patchkit` command."""

from __future__ import annotations

from _signal import SIG_DFL, SIGINT, default_int_handler, getsignal, signal  # type: ignore[import-not-found]  # no stub

from patchkit.cli.main import main

# Until the command sets its own handlers, Python's would answer Ctrl-C with a traceback. Ignored, it stays ignored.
if getsignal(SIGINT) is default_int_handler:
    signal(SIGINT, SIG_DFL)
main()
