"""Converts an MLX model folder to GGUF, so that a real Ollama serves the very same model.

mlx-lm's own exporter writes files llama.cpp refuses. This one knows qwen3 alone: it needs no
permuted weights, and its tokenizer's splitting rule is llama.cpp's "gpt-2".

`python -m bench.pocket.export_gguf FOLDER FILE.gguf`
"""

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import gguf
import numpy as np
from safetensors.numpy import load_file

_LAYER_NAMES: Final = {
    "self_attn.q_proj": "attn_q",
    "self_attn.k_proj": "attn_k",
    "self_attn.v_proj": "attn_v",
    "self_attn.o_proj": "attn_output",
    "self_attn.q_norm": "attn_q_norm",
    "self_attn.k_norm": "attn_k_norm",
    "mlp.gate_proj": "ffn_gate",
    "mlp.up_proj": "ffn_up",
    "mlp.down_proj": "ffn_down",
    "input_layernorm": "attn_norm",
    "post_attention_layernorm": "ffn_norm",
}


def tensor_name(name: str) -> str:
    """Return llama.cpp's name for an MLX tensor. Raises KeyError if there is none."""
    stem = name.removeprefix("model.").removesuffix(".weight")
    whole = {"embed_tokens": "token_embd", "norm": "output_norm", "lm_head": "output"}
    if stem in whole:
        return f"{whole[stem]}.weight"
    _, index, rest = stem.split(".", 2)
    return f"blk.{index}.{_LAYER_NAMES[rest]}.weight"


def export(folder: Path, out: Path, name: str = "lull-pocket") -> None:
    """Write the folder's model as one f16 GGUF file, with its chat template.

    Raises ValueError if the model is not of qwen3's shape.
    """
    config = json.loads((folder / "config.json").read_text())
    if config["model_type"] != "qwen3":
        raise ValueError(f"cannot export a {config['model_type']} model")
    writer = gguf.GGUFWriter(str(out), "qwen3")
    writer.add_type(gguf.GGUFType.MODEL)
    writer.add_name(name)
    _add_shape(writer, config)
    _add_tokenizer(writer, config, json.loads((folder / "tokenizer.json").read_text()))
    writer.add_chat_template((folder / "chat_template.jinja").read_text())
    for key, value in load_file(folder / "model.safetensors").items():
        # llama.cpp wants norms in single precision.
        kept = value.astype(np.float16 if value.ndim == 2 else np.float32)
        writer.add_tensor(tensor_name(key), np.ascontiguousarray(kept))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def _add_shape(writer: gguf.GGUFWriter, config: dict[str, Any]) -> None:
    writer.add_context_length(config["max_position_embeddings"])
    writer.add_embedding_length(config["hidden_size"])
    writer.add_block_count(config["num_hidden_layers"])
    writer.add_feed_forward_length(config["intermediate_size"])
    writer.add_head_count(config["num_attention_heads"])
    writer.add_head_count_kv(config["num_key_value_heads"])
    writer.add_layer_norm_rms_eps(config["rms_norm_eps"])
    writer.add_rope_freq_base(config["rope_theta"])
    writer.add_rope_dimension_count(config["head_dim"])
    writer.add_key_length(config["head_dim"])
    writer.add_value_length(config["head_dim"])
    writer.add_vocab_size(config["vocab_size"])
    writer.add_file_type(gguf.LlamaFileType.MOSTLY_F16)


def _add_tokenizer(
    writer: gguf.GGUFWriter, config: dict[str, Any], tokenizer: dict[str, Any]
) -> None:
    size = config["vocab_size"]
    tokens = [f"[unused {index}]" for index in range(size)]
    types = [gguf.TokenType.UNUSED] * size
    for token, index in tokenizer["model"]["vocab"].items():
        tokens[index], types[index] = token, gguf.TokenType.NORMAL
    for added in tokenizer["added_tokens"]:
        special = gguf.TokenType.CONTROL if added["special"] else gguf.TokenType.USER_DEFINED
        tokens[added["id"]], types[added["id"]] = added["content"], special
    merges = tokenizer["model"]["merges"]
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("gpt-2")
    writer.add_token_list(tokens)
    writer.add_token_types(types)
    writer.add_token_merges([m if isinstance(m, str) else " ".join(m) for m in merges])
    writer.add_eos_token_id(config["eos_token_id"])
    writer.add_pad_token_id(config["pad_token_id"])
    writer.add_add_bos_token(False)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line of `bench.pocket.export_gguf`."""
    parser = argparse.ArgumentParser(prog="bench.pocket.export_gguf", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("out", type=Path)
    args = parser.parse_args(argv)
    export(args.folder, args.out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
