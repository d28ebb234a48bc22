"""A look at a reader in training: how well it reads people it did not learn from."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from bench.reader import teach
from bench.reader.items import CHECKS, LABELS, people, examined
import mlx.core as mx
import numpy as np
from tokenizers import Tokenizer


def predict(net, tokenizer, items):
    from lull.engine.reader.net import batch_of, encode

    encoded = [encode(tokenizer, i.exchange) for i in items]
    out = [None] * len(items)
    for picks in teach.batches(encoded):
        batch = batch_of([encoded[i] for i in picks])
        labels, classes, sents = net(batch)
        mx.eval(labels, classes, sents)
        for row, i in enumerate(picks):
            out[i] = (
                np.array(labels[row]),
                np.array(classes[row]),
                np.array(sents[row])[: len(encoded[i].spans)],
            )
    return out


def auc(p, y):
    p, y = np.asarray(p), np.asarray(y)
    order = np.argsort(p)
    r = np.empty(len(p))
    r[order] = np.arange(len(p))
    n1 = y.sum()
    n0 = len(y) - n1
    return (r[y == 1].sum() - n1 * (n1 - 1) / 2) / max(n1 * n0, 1)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--base", type=Path)
    parser.add_argument("--work", type=Path)
    parser.add_argument("--people", nargs="*")
    parser.add_argument("--plan", default="{}")
    parser.add_argument("--cases", type=Path)
    args = parser.parse_args()
    plan = teach.Plan(**json.loads(args.plan))
    net = teach.net_of(args.base, plan.shape())
    arrays = mx.load(str(args.work / "checkpoint.safetensors"))
    net.load_weights([(k[4:], v) for k, v in arrays.items() if k.startswith("net.")], strict=False)
    tok = Tokenizer.from_file(str(args.base / "tokenizer.json"))
    if args.cases:
        from bench.reader.items import _item

        items = []
        for l in args.cases.read_text().splitlines():
            d = json.loads(l)
            d = {"scope": None, "quote": [], "kind_of_rule": None, "check": None, "trap": False} | d
            items.append(_item("x", d))
    else:
        items = people(*args.people)
    out = predict(net, tok, items)
    np.save(args.work / "out.npy", np.array([o[0] for o in out]))
    for k, name in enumerate(LABELS):
        y = np.array([i.targets()[k] for i in items])
        z = np.array([o[0][k] for o in out])
        m = y >= 0
        if not m.any():
            continue
        y, z = y[m], z[m]
        tp = ((z > 0) & (y == 1)).sum()
        P = tp / max((z > 0).sum(), 1)
        R = tp / max((y == 1).sum(), 1)
        print(
            f"{name:12} n {len(y)} pos {int(y.sum())} AUC {auc(z, y):.3f} P {P:.3f} R {R:.3f} acc {((z > 0) == (y == 1)).mean():.3f}"
        )
    hit = n = 0
    chk = nchk = pos = tot = fp = 0
    for i, o in zip(items, out):
        if i.lasting and i.quote:
            st = np.array(i.stating())
            n += 1
            hit += st[int(np.argmax(o[2]))] == 1
            c = int(np.argmax(o[1]))
            nchk += 1
            chk += c == i.check_class()
            if i.check:
                tot += 1
                pos += c == i.check_class()
            elif c:
                fp += 1
    print(
        f"sentence {hit}/{n}; check class {chk}/{nchk}, of checkable {pos}/{tot}, false check {fp}"
    )


main()
