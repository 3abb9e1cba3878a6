"""``python -m declarative_pipelines``."""

from __future__ import annotations

import sys

from declarative_pipelines.commands import main

sys.exit(main())
