"""Calls a function of the process itself when its time is over: by a signal, or by a thread. Ends nothing."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable
from types import FrameType

TICK = 0.05  # seconds between alarms once the time is over, should one be lost


def after(seconds: float, over: Callable[[FrameType | None], object]) -> None:
    """Call `over` with the frame that runs then. It may be called again, until it ends the process."""
    if hasattr(signal, "setitimer"):
        signal.signal(signal.SIGALRM, lambda _, frame: over(frame))
        signal.setitimer(signal.ITIMER_REAL, seconds, TICK)
        return
    main = threading.main_thread().ident
    watchdog = threading.Timer(seconds, lambda: over(sys._current_frames().get(main)))
    watchdog.daemon = True
    watchdog.start()
