"""Shared by all tests: two cores only, so torch gets one thread in every worker process."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")
os.environ.setdefault("ARENA_CACHE", str(Path(tempfile.gettempdir()) / "selfplay-arena-tests"))
