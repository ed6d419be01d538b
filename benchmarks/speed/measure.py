"""Run commands in turn and compare what they cost.

Every figure is a ratio taken in one run: round by round each command runs once, in rotated order, each on a fresh
copy of its input, and the ratio is the median over the rounds. Wall time where little is going on, CPU time (user and
system) where other work on the machine would move it.
"""

import os
import statistics
import time


class Cost:
    """What one run took: wall and CPU seconds, and the most memory it held, in bytes."""

    def __init__(self, wall, cpu, memory, status):
        self.wall, self.cpu, self.memory, self.status = wall, cpu, memory, status


def run(command, directory, stdin=None, stdout=os.devnull, environment=None):
    """Runs a command in a directory and returns its Cost."""
    actions = [
        (os.POSIX_SPAWN_OPEN, 0, stdin or os.devnull, os.O_RDONLY, 0),
        (os.POSIX_SPAWN_OPEN, 1, stdout, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644),
        (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
    ]
    here = os.getcwd()
    os.chdir(directory)
    try:
        begin = time.perf_counter()
        child = os.posix_spawnp(command[0], command, environment or os.environ, file_actions=actions)
        _, status, used = os.wait4(child, 0)
        wall = time.perf_counter() - begin
    finally:
        os.chdir(here)
    memory = used.ru_maxrss * (1 if os.uname().sysname == "Darwin" else 1024)
    return Cost(wall, used.ru_utime + used.ru_stime, memory, os.waitstatus_to_exitcode(status))


class Duel:
    """The costs of patchkit and of what it is held against, round by round."""

    def __init__(self, ours, theirs):
        self.ours, self.theirs = ours, theirs

    def ratio(self, of):
        """The median over the rounds of ours / theirs, of 'wall', 'cpu' or 'memory'."""
        return statistics.median(getattr(a, of) / getattr(b, of) for a, b in zip(self.ours, self.theirs))

    def middle(self, side, of):
        return statistics.median(getattr(each, of) for each in getattr(self, side))


def duel(rounds, ours, theirs):
    """Runs the two in turn and returns the Duel; each is called with the number of the round and gives a Cost."""
    costs = ([], [])
    for number in range(rounds):
        for side in (0, 1) if number % 2 else (1, 0):
            cost = (ours, theirs)[side](number)
            if cost.status:
                raise RunError(f"{('patchkit', 'the peer')[side]} ended with status {cost.status}")
            costs[side].append(cost)
    return Duel(*costs)


class RunError(Exception):
    """A run that did not do its work gives no ratio."""
