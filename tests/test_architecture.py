"""Who may import whom, and who stays light. The table is that of the architecture: rules know nobody, and so on up."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGES = ("games", "arena", "selfplay", "eval")
MAY_IMPORT = {
    "games": {"games"},
    "arena": {"arena", "games"},
    "selfplay": {"selfplay", "arena", "games"},
    "eval": {"eval", "arena", "games"},
}
TEXTARENA = {"nltk", "numpy"}
"""What the adapter of TextArena imports as well, when a game of it is loaded: their global state is put back."""
HEAVY = {"torch", "transformers", "peft", "trl", "accelerate", "datasets", "safetensors"}
MODELS = ("arena/inference/", "arena/models/", "arena/players/model.py")
"""The part of arena that is made of models."""


def modules(package: str) -> list[Path]:
    return sorted((ROOT / package).rglob("*.py"))


def imports(tree: ast.AST, *, everywhere: bool) -> Iterator[tuple[str, int]]:
    """Modules imported and the lines where; `everywhere` includes those inside functions and for types only."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Import):
            yield from ((alias.name, node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield "." * node.level + (node.module or ""), node.lineno
        elif everywhere and isinstance(node, ast.Call) and ast.unparse(node.func).endswith("import_module"):
            yield from ((str(arg.value), node.lineno) for arg in node.args[:1] if isinstance(arg, ast.Constant))
        if everywhere or not _only_later(node):
            yield from imports(node, everywhere=everywhere)


def _only_later(node: ast.AST) -> bool:
    """Whether what is inside does not run at import: functions, and `if TYPE_CHECKING`."""
    typing_only = isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
    return typing_only or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)


def found(path: Path, *, everywhere: bool) -> list[tuple[str, int]]:
    return list(imports(ast.parse(path.read_text(encoding="utf-8")), everywhere=everywhere))


@pytest.mark.parametrize("package", PACKAGES)
def test_arrows_point_down_only(package: str) -> None:
    assert modules(package)
    wrong = [
        f"{path.relative_to(ROOT)}:{line} imports {name}"
        for path in modules(package)
        for name, line in found(path, everywhere=True)
        if name.startswith(".") or (name.split(".")[0] in PACKAGES and name.split(".")[0] not in MAY_IMPORT[package])
    ]
    assert wrong == []


def test_rules_need_the_standard_library_and_pyspiel_only() -> None:
    allowed = set(sys.stdlib_module_names) | {"games", "pyspiel"}
    wrong = [
        f"{path.relative_to(ROOT)}:{line} imports {name}"
        for path in modules("games")
        for name, line in found(path, everywhere=True)
        if name.split(".")[0] not in allowed | (TEXTARENA if path.name == "textarena.py" else set())
    ]
    assert wrong == []


def test_rules_and_core_import_nothing_heavy_at_the_top() -> None:
    core = [path for path in modules("arena") if not str(path.relative_to(ROOT)).startswith(MODELS)]
    wrong = [
        f"{path.relative_to(ROOT)}:{line} imports {name}"
        for path in [*modules("games"), *core]
        for name, line in found(path, everywhere=False)
        if name.split(".")[0] in HEAVY
    ]
    assert wrong == []


def test_the_walk_sees_what_it_should() -> None:
    code = """
import a.b
from c import d
if TYPE_CHECKING:
    import typed
class X:
    import in_class
    def f(self):
        import later
        import_module("named")
try:
    import tried
except ImportError:
    pass
"""
    tree = ast.parse(code)
    assert {name for name, _ in imports(tree, everywhere=False)} == {"a.b", "c", "in_class", "tried"}
    every = {name for name, _ in imports(tree, everywhere=True)}
    assert every == {"a.b", "c", "typed", "in_class", "later", "named", "tried"}


@pytest.mark.parametrize(
    "code",
    [
        "import games; games.list_games()",
        "import arena.engine, arena.runner, arena.records, arena.tournament, arena.players.factory",
        "import arena.cli.commands; arena.cli.commands.build()",
        "import arena.display.session, arena.display.follow, arena.cli.transcript",
        "from arena.cli.app import run; run(['--help'])",
        "from arena.cli.app import run; run(['selfplay', '--help']); run(['eval', '--help'])",
    ],
)
def test_light_modules_load_nothing_heavy(code: str) -> None:
    script = f"{code}\nimport sys\nprint(sorted({HEAVY!r} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout.splitlines()[-1] == "[]"


def test_no_module_is_long() -> None:
    """Small files, one idea each: nobody has to scroll through a thousand lines."""
    long = {
        str(path.relative_to(ROOT)): length
        for package in PACKAGES
        for path in modules(package)
        if (length := len(path.read_text(encoding="utf-8").splitlines())) > 400
    }
    assert long == {}
