from __future__ import annotations

import pytest

from antiphon.errors import UnavailableError
from antiphon.models.weights import hub

pytest.importorskip("huggingface_hub", reason="huggingface_hub is not installed")


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    """An empty cache of the hub."""
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
    return tmp_path


def fetched(cache, folder, *files):
    """A snapshot as the hub's own client leaves it."""
    revision = "a" * 40
    (cache / folder / "refs").mkdir(parents=True)
    (cache / folder / "refs/main").write_text(revision)
    snapshot = cache / folder / "snapshots" / revision
    snapshot.mkdir(parents=True)
    for file in files:
        (snapshot / file).write_text(file)
    return snapshot


def test_a_file_that_was_fetched_is_found(cache):
    snapshot = fetched(cache, "spaces--sarulab-speech--UTMOS-demo", "epoch=3-step=7459.ckpt")
    found = hub.cached_file("sarulab-speech/UTMOS-demo", "epoch=3-step=7459.ckpt", "space")
    assert found == snapshot / "epoch=3-step=7459.ckpt"


def test_a_models_folder_is_the_one_that_holds_the_file(cache):
    snapshot = fetched(cache, "models--FunAudioLLM--CosyVoice2-0.5B", "llm.pt")
    assert hub.cached_folder("FunAudioLLM/CosyVoice2-0.5B", "llm.pt") == snapshot


def test_what_was_not_fetched_is_named_with_the_command():
    with pytest.raises(UnavailableError) as caught:
        hub.cached_file("owner/demo", "a=1.ckpt", "space")
    assert str(caught.value) == (
        "owner/demo/a=1.ckpt is not here; hf download --repo-type space owner/demo 'a=1.ckpt'"
    )
    with pytest.raises(
        UnavailableError, match=r"^owner/model/x.pt is not here; hf download owner/model 'x.pt'$"
    ):
        hub.cached_file("owner/model", "x.pt")
    with pytest.raises(UnavailableError, match=r"^owner/model/llm.pt is not here; hf download owner/model$"):
        hub.cached_folder("owner/model", "llm.pt")
