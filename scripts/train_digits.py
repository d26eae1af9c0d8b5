#!/usr/bin/env python3
"""Train the digits classifier and write it as float and as quantised ONNX.

UCI handwritten digits (1,797 images of 8x8, values 0..16) from scikit-learn; a 64-32-10 perceptron;
a fixed stratified split of 1,197 images for training and 600 held out. Writes into models/:

  digits_f32.onnx        x[N,64] float32 -> Gemm -> Relu -> Gemm -> logits[N,10]
  digits_int8.onnx       the same as QDQ: uint8 activations, int8 weights with a scale a column
  digits_s8.onnx         the same with int8 activations and integers at both ends, for chips without
                         floating point: x[N,64] int8 (pixels 0..16) -> logits[N,10] int8
  digits_test_x.npy      600 x 64 uint8, pixels 0..16 (the models take pixel / 16)
  digits_test_y.npy      600 uint8, the digits
With --oracle (any Python that has onnxruntime, nothing is trained):
  digits_{f32,int8}_ort.npy   600 x 10 float32, the answers of ONNX Runtime
  digits_s8_ort.npy           600 x 10 int8

Everything is seeded: the same machine gives the same files.
"""
import argparse
import pathlib
import sys

import numpy as np

MODELS = pathlib.Path(__file__).resolve().parent.parent / "models"
SEED = 7
HIDDEN = 32
TEST_IMAGES = 600
EPOCHS = 150


def load():
    from sklearn.datasets import load_digits
    from sklearn.model_selection import train_test_split

    d = load_digits()
    x = d.data.astype(np.uint8)
    return train_test_split(
        x, d.target, test_size=TEST_IMAGES, random_state=SEED, stratify=d.target
    )


def train(x, y):
    """Minibatch gradient descent (Adam) with a little weight decay."""
    rng = np.random.default_rng(SEED)
    data, labels = x.astype(np.float64) / 16, y
    p = [
        rng.normal(0, np.sqrt(2 / 64), (64, HIDDEN)),
        np.zeros(HIDDEN),
        rng.normal(0, np.sqrt(2 / HIDDEN), (HIDDEN, 10)),
        np.zeros(10),
    ]
    mean = [np.zeros_like(a) for a in p]
    square = [np.zeros_like(a) for a in p]
    t = 0
    for epoch in range(EPOCHS):
        rate = 1.5e-3 * (1 + np.cos(np.pi * epoch / EPOCHS))
        order = rng.permutation(len(data))
        for start in range(0, len(data), 32):
            xb, yb = data[order[start : start + 32]], labels[order[start : start + 32]]
            h = np.maximum(xb @ p[0] + p[1], 0)
            z = h @ p[2] + p[3]
            e = np.exp(z - z.max(1, keepdims=True))
            g = e / e.sum(1, keepdims=True)
            g[np.arange(len(yb)), yb] -= 1
            g /= len(yb)
            gh = (g @ p[2].T) * (h > 0)
            grads = [xb.T @ gh + 1e-5 * p[0], gh.sum(0), h.T @ g + 1e-5 * p[2], g.sum(0)]
            t += 1
            for i, gi in enumerate(grads):
                mean[i] += 0.1 * (gi - mean[i])
                square[i] += 0.001 * (gi * gi - square[i])
                p[i] -= rate * (mean[i] / (1 - 0.9**t)) / (np.sqrt(square[i] / (1 - 0.999**t)) + 1e-8)
    return [a.astype(np.float32) for a in p]


def model(nodes, initializers, name, kind="FLOAT"):
    from onnx import TensorProto, checker, helper, numpy_helper

    kind = getattr(TensorProto, kind)
    graph = helper.make_graph(
        nodes,
        name,
        [helper.make_tensor_value_info("x", kind, ["N", 64])],
        [helper.make_tensor_value_info("logits", kind, ["N", 10])],
        [numpy_helper.from_array(v, k) for k, v in initializers.items()],
    )
    m = helper.make_model(
        graph, producer_name="torus-tpu", opset_imports=[helper.make_opsetid("", 13)]
    )
    m.ir_version = 7
    checker.check_model(m)
    return m


def float_model(p):
    from onnx import helper

    nodes = [
        helper.make_node("Gemm", ["x", "w1", "b1"], ["h"], "fc1"),
        helper.make_node("Relu", ["h"], ["a"], "relu1"),
        helper.make_node("Gemm", ["a", "w2", "b2"], ["logits"], "fc2"),
    ]
    return model(nodes, dict(w1=p[0], b1=p[1], w2=p[2], b2=p[3]), "digits_f32")


def quantise_weights(w):
    """int8, symmetric, one scale a column, seven bits: runtimes that add pairs of uint8 x int8
    products in 16 bits do not saturate then."""
    scale = np.maximum(np.abs(w).max(0) / 63, 1e-6).astype(np.float32)
    return np.clip(np.rint(w / scale), -63, 63).astype(np.int8), scale


def quantised_model(p, x, integer_ends=False):
    """Post-training quantisation, calibrated on the training images. With integer_ends activations are
    int8 and the model takes and gives them as they are, else they are uint8 and the ends are float."""
    from onnx import helper

    kind, steps = (np.int8, 127) if integer_ends else (np.uint8, 255)
    x = x.astype(np.float32) / 16
    h = np.maximum(x @ p[0] + p[1], 0)
    z = h @ p[2] + p[3]
    w1, s1 = quantise_weights(p[0])
    w2, s2 = quantise_weights(p[2])
    x_scale = np.float32(1 / 16)  # pixels are whole sixteenths: exact
    h_scale = np.float32(np.percentile(h, 99.99) / steps)
    low, high = min(z.min(), 0), max(z.max(), 0)
    z_scale = np.float32((high - low) / 255)
    z_zero = kind(np.rint(-low / z_scale) + np.iinfo(kind).min)
    b1_scale, b2_scale = x_scale * s1, h_scale * s2
    values = dict(
        x_scale=x_scale, h_scale=h_scale, z_scale=z_scale, zero=kind(0), z_zero=z_zero,
        w1_q=w1, w1_scale=s1, w1_zero=np.zeros(HIDDEN, np.int8),
        w2_q=w2, w2_scale=s2, w2_zero=np.zeros(10, np.int8),
        b1_q=np.rint(p[1] / b1_scale).astype(np.int32), b1_scale=b1_scale,
        b2_q=np.rint(p[3] / b2_scale).astype(np.int32), b2_scale=b2_scale,
        b1_zero=np.zeros(HIDDEN, np.int32), b2_zero=np.zeros(10, np.int32),
    )
    values = {k: np.asarray(v) for k, v in values.items()}

    def dq(name, scale, zero, out, **kw):
        return helper.make_node("DequantizeLinear", [name, scale, zero], [out], out, **kw)

    def q(name, scale, zero, out):
        return helper.make_node("QuantizeLinear", [name, scale, zero], [out], out)

    nodes = [
        *([] if integer_ends else [q("x", "x_scale", "zero", "x_q")]),
        dq("x" if integer_ends else "x_q", "x_scale", "zero", "x_dq"),
        dq("w1_q", "w1_scale", "w1_zero", "w1", axis=1),
        dq("b1_q", "b1_scale", "b1_zero", "b1", axis=0),
        helper.make_node("Gemm", ["x_dq", "w1", "b1"], ["h"], "fc1"),
        helper.make_node("Relu", ["h"], ["a"], "relu1"),
        q("a", "h_scale", "zero", "a_q"),
        dq("a_q", "h_scale", "zero", "a_dq"),
        dq("w2_q", "w2_scale", "w2_zero", "w2", axis=1),
        dq("b2_q", "b2_scale", "b2_zero", "b2", axis=0),
        helper.make_node("Gemm", ["a_dq", "w2", "b2"], ["z"], "fc2"),
        q("z", "z_scale", "z_zero", "logits" if integer_ends else "z_q"),
        *([] if integer_ends else [dq("z_q", "z_scale", "z_zero", "logits")]),
    ]
    return model(nodes, values, "digits_s8", "INT8") if integer_ends else model(nodes, values, "digits_int8")


def oracle():
    import onnxruntime

    pixels = np.load(MODELS / "digits_test_x.npy")
    y = np.load(MODELS / "digits_test_y.npy")
    for kind in ("f32", "int8", "s8"):
        x = pixels.astype(np.int8) if kind == "s8" else pixels.astype(np.float32) / 16
        session = onnxruntime.InferenceSession(
            str(MODELS / f"digits_{kind}.onnx"), providers=["CPUExecutionProvider"]
        )
        out = session.run(None, {"x": x})[0]
        np.save(MODELS / f"digits_{kind}_ort.npy", out)
        print(f"{kind}: ONNX Runtime {np.mean(out.argmax(1) == y):.2%} of {len(y)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--oracle", action="store_true", help="run ONNX Runtime on the written models")
    if parser.parse_args().oracle:
        return oracle()
    x_train, x_test, y_train, y_test = load()
    p = train(x_train, y_train)
    MODELS.mkdir(exist_ok=True)
    np.save(MODELS / "digits_test_x.npy", x_test.astype(np.uint8))
    np.save(MODELS / "digits_test_y.npy", y_test.astype(np.uint8))
    (MODELS / "digits_f32.onnx").write_bytes(float_model(p).SerializeToString())
    (MODELS / "digits_int8.onnx").write_bytes(quantised_model(p, x_train).SerializeToString())
    (MODELS / "digits_s8.onnx").write_bytes(quantised_model(p, x_train, integer_ends=True).SerializeToString())
    z = np.maximum((x_test / np.float32(16)) @ p[0] + p[1], 0) @ p[2] + p[3]
    accuracy = np.mean(z.argmax(1) == y_test)
    print(f"float: {accuracy:.2%} of {len(y_test)} held-out images")
    return 0 if accuracy >= 0.96 else 1


if __name__ == "__main__":
    sys.exit(main())
