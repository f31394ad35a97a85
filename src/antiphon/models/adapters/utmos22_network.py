"""The UTMOS22 strong learner without phonemes: wav2vec 2.0 base, two embeddings, a BLSTM, two layers, a mean.

Written from the papers (Baevski et al., 2020; Saeki et al., 2022, "UTMOS: UTokyo-SaruLab System for
VoiceMOS Challenge 2022") over the checkpoint's own tensors: all sizes are read off their shapes.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from antiphon.models.adapters.utmos22_checkpoint import convolutions, layers

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
    from numpy.typing import NDArray

STRIDES = (5, 2, 2, 2, 2, 2, 2)
_HEAD = 64  # dimensions of an attention head in wav2vec 2.0


class Network:
    """The model on a device. A score is a mean over frames of 20 ms, scaled as in training: 2 x + 3."""

    def __init__(self, weights: Mapping[str, Any], device: str, judge: int, domain: int) -> None:
        self._torch = torch = importlib.import_module("torch")
        self._device = torch.device(device)
        self._weights = {
            name: value.to(self._device) for name, value in weights.items() if not name.startswith("blstm.")
        }
        self._convolutions, self._layers = convolutions(weights), layers(weights)
        self._position = self._folded()
        blstm = {name[6:]: value for name, value in weights.items() if name.startswith("blstm.")}
        hidden = blstm["weight_hh_l0"].shape[1]
        self._blstm = torch.nn.LSTM(
            blstm["weight_ih_l0"].shape[1], hidden, batch_first=True, bidirectional=True
        )
        self._blstm.load_state_dict(blstm)
        self._blstm.to(self._device).eval()
        self._who = torch.cat([self._weights["domain"][domain], self._weights["judge"][judge]])

    def score(self, samples: NDArray[np.float32]) -> float:
        """The opinion of one clip, shape (n,) at 16 kHz, n at least 400. In full float32: no TF32."""
        torch = self._torch
        exact = torch.backends.cudnn.flags(allow_tf32=False)
        with torch.inference_mode(), exact:
            heard = self._context(self._frames(torch.tensor(samples, device=self._device)[None]))
            known = self._who.expand(*heard.shape[:2], -1)
            decoded, _ = self._blstm(torch.cat([heard, known], dim=2))
            opinions = self._linear("projection.1", torch.relu(self._linear("projection.0", decoded)))
        return float(opinions.mean()) * 2 + 3

    def _folded(self) -> Any:
        """The positional convolution's weight from its norm (one a tap) and direction."""
        norm, direction = (self._weights[f"ssl.encoder.pos_conv.0.weight_{part}"] for part in "gv")
        return norm * direction / direction.norm(dim=(0, 1), keepdim=True)

    def _frames(self, wave: Any) -> Any:
        """Shape (1, n) → (1, frames, features of the transformer)."""
        f = self._torch.nn.functional
        heard = wave[:, None]
        for at, stride in enumerate(STRIDES[: self._convolutions]):
            layer = f"ssl.feature_extractor.conv_layers.{at}"
            heard = f.conv1d(heard, self._weights[f"{layer}.0.weight"], stride=stride)
            if at == 0:
                weight, bias = (self._weights[f"{layer}.2.{kind}"] for kind in ("weight", "bias"))
                heard = f.group_norm(
                    heard, len(weight), weight, bias
                )  # over the whole clip: padding would count
            heard = f.gelu(heard)
        return self._linear("ssl.post_extract_proj", self._norm("ssl.layer_norm", heard.mT))

    def _context(self, frames: Any) -> Any:
        f = self._torch.nn.functional
        width = self._position.shape[2]
        groups = frames.shape[2] // self._position.shape[1]
        bias = self._weights["ssl.encoder.pos_conv.0.bias"]
        place = f.conv1d(frames.mT, self._position, bias, padding=width // 2, groups=groups)
        x = frames + f.gelu(place[..., : frames.shape[1]]).mT
        x = self._norm("ssl.encoder.layer_norm", x)
        for at in range(self._layers):
            layer = f"ssl.encoder.layers.{at}"
            x = self._norm(f"{layer}.self_attn_layer_norm", x + self._attention(f"{layer}.self_attn", x))
            inner = f.gelu(self._linear(f"{layer}.fc1", x))
            x = self._norm(f"{layer}.final_layer_norm", x + self._linear(f"{layer}.fc2", inner))
        return x

    def _attention(self, name: str, x: Any) -> Any:
        _, frames, width = x.shape
        heads = width // _HEAD
        query, key, value = (
            self._linear(f"{name}.{part}_proj", x).view(1, frames, heads, _HEAD).transpose(1, 2)
            for part in "qkv"
        )
        mixed = self._torch.nn.functional.scaled_dot_product_attention(query, key, value)
        return self._linear(f"{name}.out_proj", mixed.transpose(1, 2).reshape(1, frames, width))

    def _linear(self, name: str, x: Any) -> Any:
        return self._torch.nn.functional.linear(
            x, self._weights[f"{name}.weight"], self._weights[f"{name}.bias"]
        )

    def _norm(self, name: str, x: Any) -> Any:
        weight = self._weights[f"{name}.weight"]
        return self._torch.nn.functional.layer_norm(x, weight.shape, weight, self._weights[f"{name}.bias"])
