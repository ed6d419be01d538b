"""Loaded by the commands that a test starts on a terminal, however busy the machine is.

No line says how far they are unless a test asks for it, and no search ends before it is done.
"""

from patchkit.report import progress
from patchkit.tools import answers

progress.PATIENCE = answers.SECONDS = 570
