from __future__ import annotations

import collections
import os
import subprocess
import sys
from types import ModuleType

import pytest

from antiphon.errors import DataError
from antiphon.models.adapters.utmos22_checkpoint import convolutions, layers, look, read, renamed

torch = pytest.importorskip("torch", reason="torch is not installed")
utmos22_weights = pytest.importorskip("tests.models.adapters.utmos22_weights")


@pytest.fixture(scope="module")
def reference():
    return utmos22_weights.Reference()


def saved(tmp_path, state, name="epoch=3-step=7459.ckpt"):
    path = tmp_path / name
    torch.save(state, path)
    return path


def same(weights, others) -> bool:
    return weights.keys() == others.keys() and all(
        torch.equal(weights[name], others[name]) for name in weights
    )


def problem(path, called=read) -> str:
    with pytest.raises(DataError) as caught:
        called(path)
    return str(caught.value).replace(str(path), "PATH")


def looked_at(path):
    look(path, path.stat().st_mtime_ns)


def test_both_layouts_give_the_same_weights_but_for_the_rows_that_an_export_leaves_out(tmp_path, reference):
    whole = read(saved(tmp_path, {"state_dict": reference.authors(), "epoch": 3}))
    export = read(saved(tmp_path, reference.speechmos(), "utmos22_strong_step7459_v1.pt"))
    assert (whole["judge"].shape, whole["domain"].shape) == ((300, 8), (3, 8))
    assert torch.equal(export.pop("judge"), whole.pop("judge")[288:289])
    assert torch.equal(export.pop("domain"), whole.pop("domain")[:1])
    assert same(export, whole)
    assert (convolutions(whole), layers(whole)) == (7, 2)
    assert not any("mask_emb" in name for name in whole)


def test_half_precision_weights_are_read_as_float32(tmp_path, reference):
    halves = {name: value.half() for name, value in reference.authors().items()}
    assert {value.dtype for value in read(saved(tmp_path, halves)).values()} == {torch.float32}


def test_what_a_lightning_checkpoint_pickles_is_neither_imported_nor_called(tmp_path, monkeypatch, reference):
    settings = ModuleType("omegaconf.dictconfig")

    class DictConfig:
        def __init__(self):
            self.content = {"cp_path": "wav2vec_small.pt"}

    DictConfig.__module__, DictConfig.__qualname__ = "omegaconf.dictconfig", "DictConfig"
    settings.DictConfig = DictConfig

    class Evil:
        def __reduce__(self):
            return subprocess.check_call, (["touch", str(tmp_path / "called")],)

    checkpoint = {
        "state_dict": reference.authors(),
        "hyper_parameters": {"cfg": DictConfig(), "made": collections.defaultdict(list, {"a": [1]})},
        "callbacks": {"evil": Evil()},
        "optimizer_states": [{"state": {0: {"exp_avg": torch.zeros(3)}}}],
    }  # fmt: skip
    with monkeypatch.context() as patched:
        patched.setitem(sys.modules, "omegaconf", ModuleType("omegaconf"))
        patched.setitem(sys.modules, "omegaconf.dictconfig", settings)
        path = saved(tmp_path, checkpoint)
    looked_at(path)
    assert same(read(path), renamed(path, reference.authors()))
    assert not (tmp_path / "called").exists()


def test_real_omegaconf_settings_are_read_past(tmp_path, reference):
    omegaconf = pytest.importorskip("omegaconf", reason="omegaconf is not installed")
    cfg = omegaconf.OmegaConf.create({"model": {"feature_extractors": [{"cp_path": "x"}], "WavLM": False}})
    path = saved(tmp_path, {"state_dict": reference.authors(), "hyper_parameters": {"cfg": cfg}})
    assert same(read(path), renamed(path, reference.authors()))


def test_newer_names_of_the_weight_norm_are_read_too(tmp_path, reference):
    old = "feature_extractors.0.ssl_model.encoder.pos_conv.0.weight_"
    new = "feature_extractors.0.ssl_model.encoder.pos_conv.0.parametrizations.weight.original"
    state = reference.authors()
    newer = {name.replace(old + "g", new + "0").replace(old + "v", new + "1"): state[name] for name in state}
    assert newer.keys() != state.keys()
    path = saved(tmp_path, newer)
    looked_at(path)
    assert same(read(path), renamed(path, state))


def test_a_checkpoint_with_a_phoneme_encoder_says_what_to_use(tmp_path, reference):
    state = reference.authors()
    state["feature_extractors.2.embedding.weight"] = state.pop("feature_extractors.1.embedding.weight")
    state["feature_extractors.1.encoder.weight_ih_l0"] = torch.zeros(2, 2)
    path = saved(tmp_path, state)
    assert problem(path) == problem(path, looked_at) == (
        "PATH: has a phoneme encoder, which needs each clip's text; use the demo's checkpoint "
        "(epoch=3-step=7459.ckpt) or one trained without phonemes"
    )  # fmt: skip


def test_what_is_missing_is_told_before_anything_is_loaded(tmp_path, reference):
    state = reference.authors()
    del state["output_layers.0.decoder_rnn.bias_hh_l0"]
    path = saved(tmp_path, state)
    assert problem(path) == problem(path, looked_at) == (
        "PATH: is no UTMOS22 strong learner on wav2vec 2.0 base: no blstm.bias_hh_l0"
    )  # fmt: skip
    other = problem(saved(tmp_path, {"model": {}}, "b.pt"), looked_at)
    assert "no domain, judge, ssl.encoder.pos_conv.0.weight_g and " in other


def test_what_is_strange_is_told_when_the_weights_are_read(tmp_path, reference):
    state = reference.authors()
    state["feature_extractors.0.ssl_model.encoder.layers.0.self_attn.grep_linear.weight"] = torch.zeros(1)
    state["criterion.weight"] = torch.zeros(1)
    assert problem(saved(tmp_path, state)) == (
        "PATH: is no UTMOS22 strong learner on wav2vec 2.0 base: "
        "unknown criterion.weight, ssl.encoder.layers.0.self_attn.grep_linear.weight"
    )
    names_only = dict.fromkeys(reference.authors(), "no tensor")
    assert problem(saved(tmp_path, names_only, "c.pt")).startswith("PATH: holds no weights by name")


def test_what_cannot_be_read_safely_says_how_to_save_the_weights_alone(tmp_path, reference):
    class Run:
        def __reduce__(self):
            return os.system, (f"touch {tmp_path / 'called'}",)

    found = problem(saved(tmp_path, {"state_dict": reference.authors(), "run": Run()}))
    assert found.startswith("PATH: its weights cannot be read safely (")
    assert found.endswith("torch.save(torch.load(PATH, weights_only=False)['state_dict'], NEW_PATH)")
    assert not (tmp_path / "called").exists()


def test_a_broken_download_is_told_and_looking_again_after_mending_it_works(tmp_path, reference):
    path = saved(tmp_path, reference.authors())
    whole = path.read_bytes()
    path.write_bytes(whole[:5000])
    assert problem(path, looked_at) == (
        "PATH: is no checkpoint that torch wrote (or a download that broke off)"
    )
    path.write_bytes(whole)
    looked_at(path)
