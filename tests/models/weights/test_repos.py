from __future__ import annotations

import socket
import sys
import threading
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import pytest

from antiphon.errors import ConfigError, UnavailableError
from antiphon.models.uri import parse
from antiphon.models.weights import fetch, repos
from antiphon.models.weights.missing import MissingWeightsError
from antiphon.models.weights.repos import (
    Found,
    Repo,
    bring,
    locate,
    locate_file,
    model_of,
    named,
    parse_repo,
    unreachable,
)

COMMIT = "06f233fe06e710322aca913c1bc4249a0d71fce1"


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache of the Hugging Face hub, and no way to the hub."""
    constants = pytest.importorskip("huggingface_hub.constants", reason="huggingface_hub is not installed")
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "hub"))
    monkeypatch.setenv("ANTIPHON_CACHE", str(tmp_path / "antiphon"))
    return tmp_path / "hub"


def snapshot(cache: Path, name: str, *files: str, kind: str = "models") -> Path:
    """A snapshot as the hub's client leaves it."""
    repo = cache / f"{kind}--{name.replace('/', '--')}"
    folder = repo / "snapshots" / COMMIT
    for file in files:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / file).write_text(file)
    (repo / "refs").mkdir(parents=True)
    (repo / "refs" / "main").write_text(COMMIT)
    return folder


def test_repositories_are_read_as_they_are_written() -> None:
    assert parse_repo("hf:openai/whisper-large-v3") == Repo("hf", "openai/whisper-large-v3")
    assert parse_repo("ms:iic/SenseVoiceSmall@v1.0") == Repo("ms", "iic/SenseVoiceSmall", "v1.0")
    assert [parse_repo(text) for text in ("whisper-base", "hf:x", "hf:a/b/c", "s3:a/b", "hf:../x y")] == [
        None
    ] * 5
    assert Repo("ms", "iic/SenseVoiceSmall", "v1.0").text == "ms:iic/SenseVoiceSmall@v1.0"
    assert named("hf", "large") is None


def test_a_snapshot_is_found_by_its_commit(cache: Path) -> None:
    folder = snapshot(cache, "some/model", "config.json", "model.bin")
    assert locate(Repo("hf", "some/model"), "config.json", "*.bin") == Found(
        folder, f"some/model@{COMMIT[:12]}"
    )


def test_what_is_not_here_or_not_whole_names_the_command_that_brings_it(cache: Path) -> None:
    snapshot(cache, "some/half", "config.json")
    for repo in (Repo("hf", "some/half"), Repo("hf", "some/none", "v2")):
        with pytest.raises(MissingWeightsError) as caught:
            locate(repo, "config.json", "*.bin")
        assert str(caught.value) == f"the model {repo.text} is not here; antiphon weights fetch {repo.text}"
        assert caught.value.weight == repo.text


def test_one_file_of_a_space_is_found_and_one_that_is_not_here_named(cache: Path) -> None:
    folder = snapshot(cache, "some/demo", "epoch=3.ckpt", kind="spaces")
    assert locate_file("some/demo", "epoch=3.ckpt", "space") == folder / "epoch=3.ckpt"
    with pytest.raises(
        UnavailableError,
        match=r"^a/demo/a=1.ckpt is not here; hf download --repo-type space a/demo 'a=1.ckpt'$",
    ):
        locate_file("a/demo", "a=1.ckpt", "space")
    with pytest.raises(UnavailableError, match=r"^a/model/x.pt is not here; hf download a/model 'x.pt'$"):
        locate_file("a/model", "x.pt")


def test_a_folder_is_named_by_the_bytes_of_its_files(cache: Path, tmp_path: Path) -> None:
    def label(name: str, **files: str) -> str:
        folder = tmp_path / name
        folder.mkdir()
        for file, text in files.items():
            (folder / file).write_text(text)
        return model_of(parse(f"whisper:{folder}"), None, ("a*", "b")).label

    first = label("x", a1="one", a2="two", b="three")
    assert first.startswith("x@")
    assert label("y", a1="one", a2="two", b="three").partition("@")[2] == first.partition("@")[2]
    assert label("z", a1="one", a2="two", b="four").partition("@")[2] != first.partition("@")[2]
    with pytest.raises(ConfigError, match=r"no b in .*w; give a folder that holds a model"):
        label("w", a1="one")
    with pytest.raises(ConfigError, match=r"no folder /nowhere; give a folder, or owner/name of a hub"):
        model_of(parse("whisper:/nowhere"), None, ("b",))


def test_fetching_says_in_one_line_why_a_repository_did_not_come(cache: Path) -> None:
    with pytest.raises(
        UnavailableError, match=r"^hf:some/none did not come \(.*\); with files at hand, give their"
    ):
        fetch.fetch(["hf:some/none"])


def test_fetching_brings_a_repository_without_other_frameworks_copies(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[str, dict[str, object]]] = []

    class Client:
        @staticmethod
        def snapshot_download(name: str, **options: object) -> str:
            asked.append((name, options))
            return str(tmp_path)

    client: Any = Client
    for module in ("huggingface_hub", "modelscope", "modelscope.hub", "modelscope.hub.snapshot_download"):
        monkeypatch.setitem(sys.modules, module, client)
    monkeypatch.setattr(repos, "need", lambda package, remedy: None)
    assert fetch.fetch(["hf:some/model@v2"]) == {"hf:some/model@v2": tmp_path}
    assert bring(Repo("ms", "some/model")) == tmp_path
    (name, options), (_, defaults) = asked
    assert (name, options["revision"], options["local_files_only"]) == ("some/model", "v2", False)
    assert defaults["revision"] is None
    ignored = options["ignore_patterns"]
    assert isinstance(ignored, list)
    assert [
        file
        for file in (
            "model.safetensors",
            "campplus.onnx",
            "onnx/decoder.onnx",
            "flax_model.msgpack",
            "x.fp32.onnx",
        )
        if not any(fnmatch(file, pattern) for pattern in ignored)
    ] == ["model.safetensors", "campplus.onnx"]


@pytest.mark.parametrize("offline", [False, True])
def test_whether_the_hub_answers_is_known_at_once(monkeypatch: pytest.MonkeyPatch, offline: bool) -> None:
    constants = pytest.importorskip("huggingface_hub.constants", reason="huggingface_hub is not installed")
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", offline)
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))  # and nobody listens
        monkeypatch.setattr(constants, "ENDPOINT", f"http://127.0.0.1:{bound.getsockname()[1]}")
        why = unreachable()
    assert why is None if offline else why is not None and "does not answer: " in why


def test_any_answer_of_the_hub_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    constants = pytest.importorskip("huggingface_hub.constants", reason="huggingface_hub is not installed")
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def answer() -> None:
            called, _ = listening.accept()
            with called:
                called.recv(4096)
                called.sendall(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")

        thread = threading.Thread(target=answer)
        thread.start()
        monkeypatch.setattr(constants, "ENDPOINT", f"http://127.0.0.1:{listening.getsockname()[1]}")
        assert unreachable() is None
        thread.join()


def test_a_missing_client_names_its_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(UnavailableError, match="the package modelscope is missing; pip install modelscope"):
        locate(Repo("ms", "iic/SenseVoiceSmall"))
