"""``python -m streaming_classroom``: the commands of ``course.py``."""

import signal
import sys

from streaming_classroom.cli import main

# Python would end silently to the programs it has started.
signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
sys.exit(main())
