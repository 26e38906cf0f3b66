"""Benchmarks run when they are asked for (`make bench`), never beside the tests."""

from __future__ import annotations

import pytest


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if "benchmark" in config.option.markexpr:
        return
    kept = [item for item in items if item.get_closest_marker("benchmark") is None]
    config.hook.pytest_deselected(items=[item for item in items if item not in kept])
    items[:] = kept
