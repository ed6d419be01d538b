"""Start a child that no signal can lose.

Takes what starts it; gives nothing: that keeps the child itself, where whoever has to end it will look. Python runs the
handlers of signals in the main thread, between any two steps; one that raises just when a child has been started, and
before its number is kept, would leave it running for nobody. So it is started in a thread of its own, where no handler
runs. Blocking signals meanwhile would not do: a child inherits that, and another thread of the host may take them.
"""

from __future__ import annotations

from _thread import allocate_lock, start_new_thread

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


def unbroken(start: Callable[[], None]) -> None:
    """Calls `start`, and raises what it raises.

    When a handler raises here meanwhile, that comes through only when `start` has come to its end, or never will begin.
    """
    turn, done = allocate_lock(), allocate_lock()
    given_up = False
    raised: list[BaseException] = []

    def work() -> None:
        with turn:
            if not given_up:
                try:
                    start()
                except BaseException as error:
                    raised.append(error)
        done.release()

    done.acquire()
    try:
        try:
            start_new_thread(work, ())
        except RuntimeError:  # no thread to be had: then here, which goes well but for a rare signal
            work()
        done.acquire()
    except BaseException:
        with turn:
            given_up = True
        raise
    if raised:
        raise raised.pop()
