"""``python -m streaming_classroom``: the commands of ``course.py``."""

import sys

from streaming_classroom.cli import main

sys.exit(main())
