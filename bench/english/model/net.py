"""A Llama model with LoRA layers in PyTorch, for training and for many answers side by side.

In PyTorch, and not in MLX as all other models here, since its products of matrices in bfloat16 use
what newer processors have for them (AMX), which MLX's in float32 do not. Shapes: B rows, T tokens,
S tokens attended to, N tokens of all rows, D width, I and O widths of a matrix, R rank, V
vocabulary.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import torch
from safetensors.torch import load_file, save_file
from torch import Tensor, nn
from torch.nn import functional

PARTS: Final = (
    "self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj", "self_attn.o_proj",
    "mlp.gate_proj", "mlp.up_proj", "mlp.down_proj",
)  # fmt: skip
WIDTHS: Final = 32
"""Widths are best multiples of it: each new one costs the libraries a preparation."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LoraShape:
    rank: int
    """0: no LoRA layers at all."""
    scale: float
    layers: int
    """Number of the last blocks with LoRA layers; 0: all blocks."""
    blocks: int = 0
    """Number of the model's first blocks that are there at all; 0: all."""


class Block(nn.Module):
    """The frozen matrices of a block, and its LoRA matrices."""

    def __init__(self, net: LoraNet, number: int, given: dict[str, Tensor], rank: int) -> None:
        super().__init__()
        place = f"model.layers.{number}."
        self.scale = net.shape.scale
        self.rank = rank
        self.norms = [
            given[f"{place}{name}_layernorm.weight"].float() for name in ("input", "post_attention")
        ]
        self.weights = [given[f"{place}{name}.weight"].to(net.dtype) for name in PARTS]
        self.a_IR = nn.ParameterList()
        self.b_RO = nn.ParameterList()
        for weight_OI in self.weights if rank else ():
            size_out, size_in = weight_OI.shape
            bound = 1 / math.sqrt(size_in)
            drawn_IR = torch.rand(size_in, rank, generator=net.chance)
            self.a_IR.append(nn.Parameter((drawn_IR * 2 - 1) * bound))
            self.b_RO.append(nn.Parameter(torch.zeros(rank, size_out)))

    def matrices(self, worn: bool) -> list[tuple[Tensor, ...]]:
        """Return for each part its matrix, and those of its LoRA if that is worn."""
        if not (self.rank and worn):
            return [(weight,) for weight in self.weights]
        return [
            (weight, a.to(weight.dtype), (self.scale * b).to(weight.dtype))
            for weight, a, b in zip(self.weights, self.a_IR, self.b_RO, strict=True)
        ]


def _block(
    x_BTD: Tensor,
    turn: tuple[Tensor, Tensor],
    mask_BTS: Tensor,
    norms: Sequence[Tensor],
    matrices: Sequence[tuple[Tensor, ...]],
    heads: int,
    kv_heads: int,
    eps: float,
    cache: _Cache | None = None,
) -> Tensor:
    """Return what a block makes of hidden states; `mask_BTS` is added to the scores.

    Attention is in plain products of matrices, which are faster than PyTorch's fused one in
    bfloat16 on a processor.
    """
    batch, width, dim = x_BTD.shape
    size = dim // heads
    h = norm_of(x_BTD, norms[0], eps).view(-1, dim)
    q = _linear(h, matrices[0]).view(batch, width, heads, size).transpose(1, 2)
    k = _linear(h, matrices[1]).view(batch, width, kv_heads, size).transpose(1, 2)
    v = _linear(h, matrices[2]).view(batch, width, kv_heads, size).transpose(1, 2)
    q, k = _turned(q, *turn) * size**-0.5, _turned(k, *turn)
    if cache is not None:
        k, v = cache.extended(k, v)
    groups = batch * kv_heads
    asked = q.reshape(groups, heads // kv_heads * width, size)
    k, v = k.reshape(groups, -1, size), v.reshape(groups, -1, size)
    scores = torch.bmm(asked, k.transpose(1, 2)).view(batch, heads, width, -1)
    weights = _shares(scores, mask_BTS)
    out = torch.bmm(weights.view(groups, heads // kv_heads * width, -1), v)
    out = out.view(batch, heads, width, size).transpose(1, 2).reshape(-1, dim)
    x_BTD = x_BTD + _linear(out, matrices[3]).view(batch, width, dim)
    h = norm_of(x_BTD, norms[1], eps).view(-1, dim)
    gate, up = _linear(h, matrices[4]), _linear(h, matrices[5])
    return x_BTD + _linear(_gated(gate, up), matrices[6]).view(batch, width, dim)


def _linear(x_NI: Tensor, matrices: tuple[Tensor, ...]) -> Tensor:
    y_NO = functional.linear(x_NI, matrices[0])
    if len(matrices) == 1:
        return y_NO
    return torch.addmm(y_NO, x_NI @ matrices[1], matrices[2])


def _fused(run: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """Compile a function that goes over many numbers, but for the few of a single next token."""
    compiled = torch.compile(run, dynamic=True)

    def either(*args: object) -> Tensor:
        return run(*args) if torch.is_inference_mode_enabled() else compiled(*args)

    return either


@_fused
def _shares(scores: Tensor, mask_BTS: Tensor) -> Tensor:
    return torch.softmax((scores + mask_BTS[:, None]).float(), -1).to(scores.dtype)


@_fused
def _gated(gate: Tensor, up: Tensor) -> Tensor:
    return (functional.silu(gate.float()) * up.float()).to(gate.dtype)


@_fused
def norm_of(x: Tensor, weight: Tensor, eps: float) -> Tensor:
    """Normalise hidden states (RMSNorm)."""
    f = x.float()
    return (f * torch.rsqrt(f.pow(2).mean(-1, keepdim=True) + eps) * weight).to(x.dtype)


@_fused
def _turned(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    """Turn queries or keys by their places (RoPE, halves as in Llama)."""
    first, second = x.chunk(2, -1)
    return (x * cos + torch.cat((-second, first), -1) * sin).to(x.dtype)


class _Cache:
    """Keys and values of what was read so far, with room for what comes."""

    def __init__(self, room: int) -> None:
        self._room = room
        self._at = 0
        self._k: Tensor | None = None
        self._v: Tensor | None = None

    def extended(self, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
        if self._k is None or self._v is None:
            batch, heads, _, size = k.shape
            self._k = k.new_zeros(batch, heads, self._room, size)
            self._v = v.new_zeros(batch, heads, self._room, size)
        end = self._at + k.shape[2]
        self._k[:, :, self._at : end] = k
        self._v[:, :, self._at : end] = v
        self._at = end
        return self._k[:, :, :end], self._v[:, :, :end]

    def keep(self, rows: Tensor) -> None:
        assert self._k is not None and self._v is not None
        self._k, self._v = self._k[rows], self._v[rows]


class LoraNet(nn.Module):
    """The model of an MLX folder; its LoRA layers do nothing before they are trained."""

    def __init__(
        self, folder: Path, shape: LoraShape, *, seed: int = 0, dtype: torch.dtype = torch.bfloat16
    ) -> None:
        super().__init__()
        self.dtype = dtype
        self.shape = shape
        self.worn = True
        """Whether the LoRA layers are added; else the model is exactly the base."""
        self.chance = torch.Generator().manual_seed(seed)
        config = json.loads((folder / "config.json").read_text("utf-8"))
        self.heads = int(config["num_attention_heads"])
        self.kv_heads = int(config["num_key_value_heads"])
        self.eps = float(config["rms_norm_eps"])
        size = int(config.get("head_dim") or config["hidden_size"] // self.heads)
        given = load_file(folder / "model.safetensors")
        count = shape.blocks or int(config["num_hidden_layers"])
        first = count - (shape.layers or count)
        self.blocks = nn.ModuleList(
            Block(self, number, given, shape.rank if number >= first else 0)
            for number in range(count)
        )
        self.embed_VD = given["model.embed_tokens.weight"].to(dtype)
        self.head_VD = given.get("lm_head.weight", given["model.embed_tokens.weight"]).to(dtype)
        self.norm = given["model.norm.weight"].float()
        self._speeds = float(config["rope_theta"]) ** (-torch.arange(0, size, 2).float() / size)

    def turn(self, places_BT: Tensor) -> tuple[Tensor, Tensor]:
        angles = places_BT.float()[:, None, :, None] * self._speeds
        both = torch.cat((angles, angles), -1)
        return both.cos().to(self.dtype), both.sin().to(self.dtype)

    def through(
        self,
        block: Block,
        x: Tensor,
        turn: tuple[Tensor, Tensor],
        mask: Tensor,
        cache: _Cache | None = None,
    ) -> Tensor:
        matrices = block.matrices(self.worn)
        given = (block.norms, matrices, self.heads, self.kv_heads, self.eps)
        return _block(x, turn, mask, *given, cache)

    def hidden(self, ids_BT: Tensor) -> Tensor:
        """Return the hidden states before the vocabulary's matrix, shape (B, T, D)."""
        width = ids_BT.shape[1]
        turn = self.turn(torch.arange(width)[None])
        mask = torch.full((1, width, width), -torch.inf, dtype=self.dtype).triu(1)
        x_BTD = functional.embedding(ids_BT, self.embed_VD)
        for block in self.blocks:
            x_BTD = self.through(block, x_BTD, turn, mask)
        return norm_of(x_BTD, self.norm, self.eps)

    def mask(self, seen_BTS: Tensor) -> Tensor:
        return torch.zeros(seen_BTS.shape, dtype=self.dtype).masked_fill(~seen_BTS, -torch.inf)

    def logits(self, hidden: Tensor) -> Tensor:
        return functional.linear(hidden, self.head_VD)

    def trained(self) -> dict[str, nn.Parameter]:
        """Return the LoRA matrices under their names in mlx-lm's format."""
        out = {}
        for number, block in enumerate(self.blocks):
            for name, a_IR, b_RO in zip(PARTS, block.a_IR, block.b_RO, strict=False):
                out[f"model.layers.{number}.{name}.lora_a"] = a_IR
                out[f"model.layers.{number}.{name}.lora_b"] = b_RO
        return out

    def wear(self, file: Path) -> None:
        """Take over LoRA matrices in mlx-lm's format."""
        given = load_file(file)
        with torch.no_grad():
            for name, one in self.trained().items():
                one.copy_(given[name].float())

    def save(self, file: Path) -> None:
        """Write the LoRA matrices in mlx-lm's format, in half precision."""
        halves = {name: one.detach().half().contiguous() for name, one in self.trained().items()}
        save_file(halves, file, {"format": "mlx"})

    @torch.inference_mode()
    def answers(
        self,
        prompts: Sequence[Sequence[int]],
        *,
        most: int,
        ends: Collection[int],
        temperature: float = 0.0,
        seed: int = 0,
    ) -> list[list[int]]:
        """Answer prompts side by side; the token that ends an answer is not part of it.

        An answer of `most` tokens was cut off.
        """
        chance = torch.Generator().manual_seed(seed)
        width = max(map(len, prompts))
        pads = torch.tensor([width - len(one) for one in prompts])
        ids = torch.tensor([[0] * (width - len(one)) + list(one) for one in prompts])
        caches = [_Cache(width + most) for _ in self.blocks]
        told: list[list[int]] = [[] for _ in prompts]
        alive = list(range(len(prompts)))
        places = (torch.arange(width)[None] - pads[:, None]).clamp(min=0)
        seen = torch.arange(width + most)[None] >= pads[:, None]
        causal = torch.ones(width, width, dtype=torch.bool).tril()
        # a padded place attends to itself, so that nothing becomes 0 / 0
        mask = self.mask((causal & seen[:, None, :width]) | torch.eye(width, dtype=torch.bool))
        for step in range(most):
            turn = self.turn(places)
            x = functional.embedding(ids, self.embed_VD)
            for block, cache in zip(self.blocks, caches, strict=True):
                x = self.through(block, x, turn, mask, cache)
            logits = self.logits(norm_of(x[:, -1], self.norm, self.eps)).float()
            if temperature:
                shares = torch.softmax(logits / temperature, -1)
                new = torch.multinomial(shares, 1, generator=chance)[:, 0]
            else:
                new = logits.argmax(-1)
            going = []
            for row, token in enumerate(new.tolist()):
                if token not in ends:
                    told[alive[row]].append(token)
                    going.append(row)
            if not going or step == most - 1:
                break
            rows = torch.tensor(going)
            if len(going) < len(alive):
                for cache in caches:
                    cache.keep(rows)
                alive = [alive[row] for row in going]
                places, seen = places[rows], seen[rows]
            ids = new[rows][:, None]
            places = places[:, -1:] + 1
            mask = self.mask(seen[:, None, : width + step + 1])
        return told
