"""How torch's threads wait, decided before torch is loaded."""

from __future__ import annotations

import os

import pytest

from arena.cli.app import share_cores


def test_threads_spin_only_briefly_by_default(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OMP_WAIT_POLICY", raising=False)
    monkeypatch.setenv("GOMP_SPINCOUNT", "")  # so that whatever is set below is undone afterwards
    monkeypatch.delenv("GOMP_SPINCOUNT")
    share_cores()
    assert os.environ["GOMP_SPINCOUNT"] == "800"


@pytest.mark.parametrize(("name", "value"), [("OMP_WAIT_POLICY", "ACTIVE"), ("GOMP_SPINCOUNT", "5")])
def test_what_the_user_has_set_stands(monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    for other in ("OMP_WAIT_POLICY", "GOMP_SPINCOUNT"):
        monkeypatch.delenv(other, raising=False)
    monkeypatch.setenv(name, value)
    share_cores()
    assert {n: os.environ.get(n) for n in ("OMP_WAIT_POLICY", "GOMP_SPINCOUNT")} == {
        "OMP_WAIT_POLICY": None,
        "GOMP_SPINCOUNT": None,
        name: value,
    }
