"""Snapshots: immutable PEFT adapter folders `RUN/snapshots/000120/`, named `run@000120`.

A folder holds `adapter_model.safetensors`, `adapter_config.json` and `snapshot.json` (parent, step, base model and its
hash, tokenizer hash, games, metrics, SHA-256 of the weights). It appears whole or not at all, and is never changed.
Everything but `save_snapshot` works without torch: weights are hashed and their header is read as bytes.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arena.errors import SnapshotError, UnknownSnapshotError, UsageError
from arena.models.registry import BaseModel, hash_files
from arena.rundir import RunDir, write_json
from games.suggest import nearest

if TYPE_CHECKING:
    import torch

SCHEMA = 1
"""Version of snapshot.json; newer ones are refused."""

WEIGHTS = "adapter_model.safetensors"
CONFIG = "adapter_config.json"
FILES = (WEIGHTS, CONFIG)

_HEADER_LIMIT = 100 << 20
"""Bytes of a safetensors header at most; the format's own limit."""


@dataclass(frozen=True, kw_only=True)
class Snapshot:
    """One snapshot on disk.

    Attributes:
        name: `run@000120`. folder: where it lies. step: updates it had seen.
        info: contents of snapshot.json.
    """

    name: str
    folder: Path
    step: int
    info: Mapping[str, Any]


def snapshot_name(run: str, step: int) -> str:
    """`run@000120`."""
    return f"{run}@{step:06d}"


def save_snapshot(
    peft_model: Any, run: RunDir, step: int, base: BaseModel, *, adapter: str = "default", meta: Mapping[str, Any]
) -> Snapshot:
    """Write the adapter as a snapshot, atomically. Saving equal weights again is harmless and changes nothing.

    Args:
        peft_model: the PeftModel.
        run: whose snapshot.
        step: updates seen.
        base: what the adapter sits on.
        adapter: which of the model's adapters.
        meta: further facts (parent, games, metrics).

    Raises:
        SnapshotError: a different snapshot of this name exists; snapshots never change.
        ValueError: a key of `meta` is one of the snapshot's own.
    """
    name = snapshot_name(run.name, step)
    info = {
        "schema": SCHEMA,
        "name": name,
        "step": step,
        "base_model": base.name,
        "base_sha256": base.model_hash,
        "tokenizer_sha256": base.tokenizer_hash,
    }
    taken = sorted({*info, "sha256"} & set(meta))
    if taken:
        raise ValueError(f"meta must not set {', '.join(taken)}")
    folder = run.snapshots / f"{step:06d}"
    temporary = run.snapshots / f".{step:06d}.{os.getpid()}"
    shutil.rmtree(temporary, ignore_errors=True)
    temporary.mkdir(parents=True)
    try:
        _write_adapter(peft_model, adapter, temporary)
        info["sha256"] = hash_files([temporary / WEIGHTS])
        if folder.exists():
            return _same(read_snapshot(run.name, folder), temporary)
        write_json(temporary / "snapshot.json", {**info, **meta})
        for path in (*(temporary / file for file in FILES), temporary):
            _sync(path)
        temporary.replace(folder)
        _sync(run.snapshots)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
    return read_snapshot(run.name, folder)


def _write_adapter(peft_model: Any, adapter: str, folder: Path) -> None:
    """The two files of PEFT's format, and nothing else (its `save_pretrained` adds a model card)."""
    from peft import get_peft_model_state_dict
    from safetensors.torch import save_file

    state: Mapping[str, torch.Tensor] = get_peft_model_state_dict(
        peft_model, adapter_name=adapter, save_embedding_layers=False
    )
    tensors = {key: tensor.detach().cpu().clone().contiguous() for key, tensor in state.items()}
    save_file(tensors, str(folder / WEIGHTS), metadata={"format": "pt"})
    config = dict(peft_model.peft_config[adapter].to_dict(), inference_mode=True)
    for key, value in config.items():
        if isinstance(value, set):
            config[key] = sorted(value)
    write_json(folder / CONFIG, config)


def _same(old: Snapshot, new: Path) -> Snapshot:
    """The existing snapshot, if the files just written equal its own."""
    changed = [file for file in FILES if (old.folder / file).read_bytes() != (new / file).read_bytes()]
    if changed:
        raise SnapshotError(
            f"{old.name} exists with another {' and '.join(changed)}; snapshots never change. Use a new run name."
        )
    return old


def _sync(path: Path) -> None:
    """Force a file or folder to disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def read_snapshot(run_name: str, folder: Path) -> Snapshot:
    """The snapshot in a folder, its files present; contents are checked by `verify_snapshot`.

    Raises:
        SnapshotError: not a snapshot; says what is missing.
    """
    missing = [name for name in (*FILES, "snapshot.json") if not (folder / name).is_file()]
    if missing:
        raise SnapshotError(f"{folder} is not a snapshot: {', '.join(missing)} missing.")
    try:
        info = json.loads((folder / "snapshot.json").read_text(encoding="utf-8"))
        step, schema = info["step"], info["schema"]
        if not (isinstance(step, int) and isinstance(schema, int)):
            raise TypeError(f"step is {step!r} and schema {schema!r}, both should be whole numbers")
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise SnapshotError(f"{folder}/snapshot.json cannot be read ({error!r}). Restore the folder.") from error
    if schema > SCHEMA:
        raise SnapshotError(f"{folder}/snapshot.json has schema {schema}; this version reads up to {SCHEMA}.")
    return Snapshot(name=snapshot_name(run_name, step), folder=folder, step=step, info=info)


def list_snapshots(run: RunDir) -> list[Snapshot]:
    """All snapshots of a run, oldest first."""
    if not run.snapshots.is_dir():
        return []
    folders = (p for p in run.snapshots.iterdir() if p.is_dir() and p.name.isdigit())
    return sorted((read_snapshot(run.name, folder) for folder in folders), key=lambda snapshot: snapshot.step)


def find_snapshots(reference: str) -> list[Snapshot]:
    """What `RUN@000120`, `RUN@latest` or `RUN@all` means.

    Raises:
        UsageError: not a reference to snapshots.
        UnknownSnapshotError: the run has no such snapshot; names those it has.
        RunNotFoundError: no such run.
    """
    run_name, _, which = reference.rpartition("@")
    if not run_name or not which:
        raise UsageError(f"{reference!r} is not a snapshot. Write RUN@000120, RUN@latest or RUN@all.")
    run = RunDir.find(run_name)
    known = list_snapshots(run)
    listing = ", ".join(snapshot.name for snapshot in known[-20:]) or "none"
    if which == "all" and known:
        return known
    if which == "latest" and known:
        return known[-1:]
    found = [s for s in known if which.isascii() and which.isdigit() and s.step == int(which)]
    if not found:
        guess = nearest(which, [*(f"{s.step:06d}" for s in known), "latest", "all"] if known else [])
        hint = f" Did you mean '{run_name}@{guess}'?" if guess else ""
        raise UnknownSnapshotError(f"No snapshot {reference!r}.{hint} The run {run.path} has: {listing}.")
    return found


def load_snapshot(reference: str, base: BaseModel | None = None) -> Snapshot:
    """The one snapshot that a reference means, verified.

    Raises:
        SnapshotError: none, several, or a damaged one; says which.
        UsageError, RunNotFoundError: as for `find_snapshots`.
    """
    found = find_snapshots(reference)
    if len(found) > 1:
        raise SnapshotError(f"{reference} is {len(found)} snapshots where one is needed: {found[-1].name} is the last.")
    problems = verify_snapshot(found[0], base)
    if problems:
        raise SnapshotError(f"{found[0].name} cannot be used: {'; '.join(problems)}.")
    return found[0]


def tensor_shapes(path: Path) -> dict[str, tuple[int, ...]]:
    """Names and shapes in a safetensors file, from its header alone.

    Raises:
        SnapshotError: not a safetensors file, or cut short.
    """
    try:
        with path.open("rb") as file:
            length = int.from_bytes(file.read(8), "little")
            if length > _HEADER_LIMIT:
                raise ValueError(f"a header of {length} bytes")
            header = json.loads(file.read(length))
        header.pop("__metadata__", None)
        shapes = {key: tuple(entry["shape"]) for key, entry in header.items()}
        end = 8 + length + max((entry["data_offsets"][1] for entry in header.values()), default=0)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise SnapshotError(f"{path} is not a safetensors file: {error}") from error
    if path.stat().st_size != end:
        raise SnapshotError(f"{path} has {path.stat().st_size} bytes, its header says {end}.")
    return shapes


def verify_snapshot(snapshot: Snapshot, base: BaseModel | None = None) -> list[str]:
    """Problems with a snapshot, empty when it is whole.

    Args:
        snapshot: what to check.
        base: also check that it was made for this model and tokenizer, and fits its layers.
    """
    problems = []
    expected = snapshot.info.get("sha256")
    actual = hash_files([snapshot.folder / WEIGHTS])
    if actual != expected:
        problems.append(f"{WEIGHTS} has SHA-256 {actual[:12]}…, snapshot.json says {expected!s:.12}…")
    try:
        shapes = tensor_shapes(snapshot.folder / WEIGHTS)
    except SnapshotError as error:
        return [*problems, str(error)]
    if base is None:
        return problems
    for key, have, what in (
        ("base_sha256", base.model_hash, "base model"),
        ("tokenizer_sha256", base.tokenizer_hash, "tokenizer"),
    ):
        if snapshot.info.get(key) != have:
            problems.append(
                f"made for another {what}: {snapshot.info.get(key)!s:.12}… ({snapshot.info.get('base_model')}), "
                f"this one is {have[:12]}… ({base.name})"
            )
    return problems + _misfits(shapes, base.model)


def _misfits(shapes: Mapping[str, tuple[int, ...]], model: Any) -> list[str]:
    """Low-rank factors that have no layer, or not its shape; the first few."""
    layers = {key.replace("base_model.model.", "").replace(".base_layer", ""): m for key, m in model.named_modules()}
    problems = []
    for key, shape in shapes.items():
        where, _, kind = key.removeprefix("base_model.model.").removesuffix(".weight").rpartition(".")
        side = {"lora_A": ("in_features", 1), "lora_B": ("out_features", 0)}.get(kind)
        if side is None:
            continue  # other kinds of parameters are PEFT's to check
        have = getattr(layers.get(where), side[0], None)
        if have is None:
            problems.append(f"{key} is for a layer that the model does not have")
        elif len(shape) != 2 or shape[side[1]] != have:
            problems.append(f"{key} has shape {shape}, its layer has {have} {side[0]}")
    return problems[:3]
