"""The shape of the code, in figures: how many rooms, and how they hang together.

    python -m benchmarks.house [--root DIR | --against REVISION] [--json] [--timing]

Lines and files by package, functions, private functions that are named once, modules with one
importer, class names that occur twice, modules named by a gerund, imports inside functions, import
cycles (with and without those), layers, floors, methods of ports. With --timing also the CPU time
of the everyday commands over a sample home. `--root` is the checkout that is measured; --against
prints a revision of the history beside it.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import re
import resource
import subprocess
import sys
import tempfile
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path

PACKAGES = {"reviewdeck": "core", "reviewdeck_tui": "tui"}
_FIELD = frozenset({"merging", "staging", "string", "setting", "settings", "thing"})
"""Words in -ing that the field itself uses as nouns."""
_COMMANDS = (
    ("--help",),
    ("status",),
    ("list",),
    ("since",),
    ("show", "{id}"),
    ("diff", "{id}"),
)
_RUNS = 5


@dataclass(frozen=True, slots=True)
class Shape:
    """The figures of one checkout."""

    lines: dict[str, int]
    """By package, without tests."""
    all_lines: int
    files: int
    test_lines: int
    functions_per_1000_lines: float
    private_named_once: int
    """Private functions that their own file names in one other place."""
    one_importer: int
    """Modules that one other module imports, inside of functions too."""
    names_twice: int
    """Class names that are defined more than once."""
    gerunds: int
    inner_imports: int
    """Import statements inside of functions."""
    cycles: int
    """Groups of modules that import each other at the top level."""
    late_cycles: int
    """The same with the imports inside of functions and for types."""
    layers: int
    """Of the import contract."""
    floors: int
    """The longest chain of imports at the top level, in modules."""
    port_methods: int
    protocol_methods: int


def main() -> None:
    """Prints the figures of a checkout."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--root", type=Path, default=Path(__file__).parent.parent)
    parser.add_argument("--against", metavar="REVISION", help="print this revision beside it")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--timing", action="store_true", help="time the everyday commands too")
    arguments = parser.parse_args()
    if arguments.against is not None:
        compare(arguments.root, arguments.against)
        return
    figures: dict[str, object] = asdict(shape_of(arguments.root))
    if arguments.timing:
        figures["cpu_seconds"] = timings(arguments.root)
    if arguments.json:
        print(json.dumps(figures, indent=2))
        return
    for name, value in figures.items():
        if isinstance(value, dict):
            print(f"{name}:")
            for part, amount in sorted(value.items(), key=lambda pair: -pair[1]):
                print(f"  {part:<28}{amount:>10}")
        else:
            print(f"{name:<30}{value:>10}")


def compare(root: Path, revision: str) -> None:
    """Prints the figures of a revision beside those of a checkout."""
    with tempfile.TemporaryDirectory() as folder:
        archive = subprocess.run(
            [
                "git",
                "-C",
                str(root),
                "archive",
                revision,
                *PACKAGES.values(),
                "tests",
                "pyproject.toml",
            ],
            capture_output=True,
            check=True,
        ).stdout
        subprocess.run(["tar", "-x", "-C", folder], input=archive, check=True)
        before, now = (asdict(shape_of(place)) for place in (Path(folder), root))
    print(f"{'':<28}{revision[:10]:>12}{'now':>12}")
    for name, value in now.items():
        if not isinstance(value, dict):
            print(f"{name:<28}{before[name]:>12,}{value:>12,}")
    packages = now["lines"].keys() | before["lines"].keys()
    for package in sorted(packages, key=lambda each: -now["lines"].get(each, 0)):
        old, new = (figures["lines"].get(package, 0) for figures in (before, now))
        print(f"  {package:<26}{old:>12,}{new:>12,}")


def shape_of(root: Path) -> Shape:
    """Measures a checkout."""
    modules = dict(_modules(root))
    texts = {name: path.read_text("utf-8") for name, path in modules.items()}
    trees = {name: ast.parse(text) for name, text in texts.items()}
    functions = [node for tree in trees.values() for node in ast.walk(tree) if _is_function(node)]
    all_lines = sum(len(text.splitlines()) for text in texts.values())
    top = {name: set(_imported_modules(name, tree.body, trees)) for name, tree in trees.items()}
    everywhere = {
        name: set(_imported_modules(name, ast.walk(tree), trees)) for name, tree in trees.items()
    }
    importers = Counter(target for targets in everywhere.values() for target in targets)
    lines: Counter[str] = Counter()
    for name, path in modules.items():
        parts = name.split(".")
        package = ".".join(parts[:2]) if len(parts) > 2 or path.stem == "__init__" else parts[0]
        lines[package] += len(path.read_text("utf-8").splitlines())
    classes = Counter(
        node.name
        for tree in trees.values()
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    )
    return Shape(
        lines=dict(lines),
        all_lines=all_lines,
        files=len(modules),
        test_lines=sum(
            len(path.read_bytes().splitlines()) for path in (root / "tests").rglob("*.py")
        ),
        functions_per_1000_lines=round(1000 * len(functions) / all_lines, 1),
        private_named_once=sum(_named_once(trees[name], texts[name]) for name in modules),
        one_importer=sum(importers[name] == 1 for name in modules),
        names_twice=sum(amount > 1 for amount in classes.values()),
        gerunds=sum(_is_gerund(path.stem) for path in modules.values()),
        inner_imports=sum(_inner_imports(tree) for tree in trees.values()),
        cycles=_cycles(top),
        late_cycles=_cycles(everywhere),
        layers=_layers(root),
        floors=_floors(top),
        port_methods=sum(
            _port_methods(tree) for name, tree in trees.items() if ".ports" in f".{name}"
        ),
        protocol_methods=sum(map(_port_methods, trees.values())),
    )


def _modules(root: Path) -> Iterator[tuple[str, Path]]:
    for package, folder in PACKAGES.items():
        for path in sorted((root / folder / package).rglob("*.py")):
            parts = path.relative_to(root / folder).with_suffix("").parts
            name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
            yield name, path


def _is_gerund(stem: str) -> bool:
    return stem.endswith("ing") and stem not in _FIELD


def _is_function(node: ast.AST) -> bool:
    return isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)


def _inner_imports(tree: ast.Module) -> int:
    return sum(
        isinstance(node, ast.Import | ast.ImportFrom)
        for function in filter(_is_function, ast.walk(tree))
        for node in ast.walk(function)
    )


def _named_once(tree: ast.Module, text: str) -> int:
    named = Counter(re.findall(r"\b_\w+", text))
    private = (node for node in ast.walk(tree) if _is_function(node))
    return sum(
        node.name.startswith("_") and not node.name.startswith("__") and named[node.name] == 2
        for node in private
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    )


def _floors(graph: Mapping[str, set[str]]) -> int:
    @cache
    def floor(name: str) -> int:
        return 1 + max(map(floor, graph[name]), default=0)

    return 0 if _cycles(graph) else max(map(floor, graph))


def _port_methods(tree: ast.Module) -> int:
    protocols = [
        node
        for node in tree.body
        if isinstance(node, ast.ClassDef)
        and any(isinstance(base, ast.Name) and base.id == "Protocol" for base in node.bases)
    ]
    return sum(
        isinstance(member, ast.FunctionDef) for protocol in protocols for member in protocol.body
    )


def _layers(root: Path) -> int:
    config = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))
    contracts = config["tool"]["importlinter"]["contracts"]
    return max(len(contract.get("layers", ())) for contract in contracts)


def _cycles(graph: Mapping[str, set[str]]) -> int:
    """Strongly connected groups of more than one module (Tarjan 1972, without recursion)."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    on_stack: set[str] = set()
    groups = 0
    for start in graph:
        if start in index:
            continue
        work = [(start, iter(sorted(graph[start])))]
        index[start] = low[start] = len(index)
        stack.append(start)
        on_stack.add(start)
        while work:
            node, remaining = work[-1]
            following = next(remaining, None)
            if following is None:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    members = stack[stack.index(node) :]
                    del stack[stack.index(node) :]
                    on_stack.difference_update(members)
                    groups += len(members) > 1
            elif following not in index:
                index[following] = low[following] = len(index)
                stack.append(following)
                on_stack.add(following)
                work.append((following, iter(sorted(graph[following]))))
            elif following in on_stack:
                low[node] = min(low[node], index[following])
    return groups


def _imported_modules(
    name: str, nodes: Iterable[ast.AST], modules: Mapping[str, ast.Module]
) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            for alias in node.names:
                full_name = f"{node.module}.{alias.name}"
                target = full_name if full_name in modules else node.module
                if target in modules and target != name:
                    yield target
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in modules)


def timings(root: Path) -> dict[str, float]:
    """The CPU seconds of the everyday commands over the sample home, the median of some runs."""
    with tempfile.TemporaryDirectory() as folder:
        home, ledger = Path(folder) / "home", Path(folder) / "ledger.db"
        where = ("--home", str(home), "--ledger", str(ledger))
        path = os.pathsep.join(str(root / package) for package in PACKAGES.values())
        env = os.environ | {"PYTHONPATH": path, "XDG_CONFIG_HOME": folder, "NO_COLOR": "1"}

        def run(*tokens: str) -> str:
            command = [sys.executable, "-m", "reviewdeck.cli.entry", *tokens]
            done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
            return done.stdout

        run("demo", str(home))
        run("auto", *where)
        id = json.loads(run("list", "--json", *where))[-1]["id"]
        seconds: dict[str, float] = defaultdict(float)
        for command in _COMMANDS:
            tokens = [token.format(id=id) for token in command]
            tokens += [] if command == ("--help",) else where
            costs = []
            for _ in range(_RUNS):
                before = resource.getrusage(resource.RUSAGE_CHILDREN)
                run(*tokens)
                after = resource.getrusage(resource.RUSAGE_CHILDREN)
                spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
                costs.append(spent)
            seconds[command[0]] = round(sorted(costs)[_RUNS // 2], 3)
        return dict(seconds)


if __name__ == "__main__":
    main()
