"""A small UTMOS22 strong learner with random weights, built from torch's own modules: what the adapter must equal."""

from __future__ import annotations

import torch
from torch import nn

KERNELS, STRIDES = (10, 3, 3, 3, 3, 2, 2), (5, 2, 2, 2, 2, 2, 2)
HEARD, WIDTH, TAPS, HIDDEN, WHO = 16, 128, 16, 12, 8


class Reference(nn.Module):
    """The architecture as published, smaller; `forward` scores waves of shape (1, n)."""

    def __init__(self, layers: int = 2) -> None:
        super().__init__()
        torch.manual_seed(7)
        sizes = zip((1, *[HEARD] * 6), KERNELS, STRIDES, strict=True)
        self.convolutions = nn.ModuleList(
            nn.Conv1d(n, HEARD, kernel, stride, bias=False) for n, kernel, stride in sizes
        )
        self.group_norm = nn.GroupNorm(HEARD, HEARD)
        self.heard_norm = nn.LayerNorm(HEARD)
        self.widen = nn.Linear(HEARD, WIDTH)
        place = nn.Conv1d(WIDTH, WIDTH, TAPS, padding=TAPS // 2, groups=16)
        self.place = nn.utils.parametrizations.weight_norm(place, dim=2)
        self.place_norm = nn.LayerNorm(WIDTH)
        self.layers = nn.ModuleList(
            nn.TransformerEncoderLayer(WIDTH, WIDTH // 64, 32, 0.0, "gelu", batch_first=True)
            for _ in range(layers)
        )
        self.domain, self.judge = nn.Embedding(3, WHO), nn.Embedding(300, WHO)
        self.blstm = nn.LSTM(WIDTH + 2 * WHO, HIDDEN, batch_first=True, bidirectional=True)
        self.projection = nn.Sequential(nn.Linear(2 * HIDDEN, 20), nn.ReLU(), nn.Linear(20, 1))
        for parameter in self.parameters():
            parameter.data += 0.1 * torch.randn_like(parameter)
        self.eval()

    @torch.no_grad()
    def forward(self, wave: torch.Tensor, judge: int = 288, domain: int = 0) -> float:
        x = wave[:, None]
        for at, convolution in enumerate(self.convolutions):
            x = convolution(x)
            x = nn.functional.gelu(self.group_norm(x) if at == 0 else x)
        x = self.widen(self.heard_norm(x.transpose(1, 2)))
        x = self.place_norm(x + nn.functional.gelu(self.place(x.transpose(1, 2))[..., :-1]).transpose(1, 2))
        for layer in self.layers:
            x = layer(x)
        who = [self.domain(torch.tensor([domain])), self.judge(torch.tensor([judge]))]
        known = [each[:, None].expand(-1, x.shape[1], -1) for each in who]
        decoded, _ = self.blstm(torch.cat([x, *known], dim=2))
        return float(self.projection(decoded).mean()) * 2 + 3

    def ssl(self) -> dict[str, torch.Tensor]:
        """The state of wav2vec 2.0 under fairseq's names."""
        state = {"mask_emb": torch.zeros(WIDTH)}
        for at, convolution in enumerate(self.convolutions):
            state[f"feature_extractor.conv_layers.{at}.0.weight"] = convolution.weight
        state |= _linear("feature_extractor.conv_layers.0.2", self.group_norm)
        state |= _linear("layer_norm", self.heard_norm) | _linear("post_extract_proj", self.widen)
        norm = self.place.parametrizations.weight
        state |= {
            "encoder.pos_conv.0.weight_g": norm.original0,
            "encoder.pos_conv.0.weight_v": norm.original1,
        }
        state |= {"encoder.pos_conv.0.bias": self.place.bias} | _linear("encoder.layer_norm", self.place_norm)
        for at, layer in enumerate(self.layers):
            name = f"encoder.layers.{at}"
            weights, biases = (
                each.chunk(3) for each in (layer.self_attn.in_proj_weight, layer.self_attn.in_proj_bias)
            )
            for part, weight, bias in zip("qkv", weights, biases, strict=True):
                state |= {
                    f"{name}.self_attn.{part}_proj.weight": weight,
                    f"{name}.self_attn.{part}_proj.bias": bias,
                }
            state |= _linear(f"{name}.self_attn.out_proj", layer.self_attn.out_proj)
            state |= _linear(f"{name}.self_attn_layer_norm", layer.norm1) | _linear(
                f"{name}.fc1", layer.linear1
            )
            state |= _linear(f"{name}.fc2", layer.linear2) | _linear(f"{name}.final_layer_norm", layer.norm2)
        return state

    def authors(self) -> dict[str, torch.Tensor]:
        """The state dictionary as in the authors' lightning checkpoint."""
        return _detached(
            {f"feature_extractors.0.ssl_model.{name}": value for name, value in self.ssl().items()}
            | {"feature_extractors.1.embedding.weight": self.domain.weight}
            | {"output_layers.0.judge_embedding.weight": self.judge.weight}
            | {f"output_layers.0.decoder_rnn.{name}": value for name, value in self.blstm.named_parameters()}
            | _linear("output_layers.1.net.0", self.projection[0])
            | _linear("output_layers.1.net.3", self.projection[2])
        )

    def speechmos(self) -> dict[str, torch.Tensor]:
        """The state dictionary as SpeechMOS exports it: one listener, one domain."""
        return _detached(
            {f"wav2vec2.{name}": value for name, value in self.ssl().items()}
            | {"domain_emb": self.domain.weight[:1], "judge_emb": self.judge.weight[288:289]}
            | {f"blstm.{name}": value for name, value in self.blstm.named_parameters()}
            | {f"projection.{name}": value for name, value in self.projection.named_parameters()}
        )


def _linear(name: str, module: nn.Module) -> dict[str, torch.Tensor]:
    return {f"{name}.weight": module.weight, f"{name}.bias": module.bias}


def _detached(state: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    return {name: value.detach().clone() for name, value in state.items()}
