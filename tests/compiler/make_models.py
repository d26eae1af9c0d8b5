#!/usr/bin/env python3
"""Write the small ONNX models of tests/compiler/data, and with --oracle what ONNX Runtime answers.

<name>.onnx, <name>.in.bin (the input, raw) and <name>.out.bin (the output, raw: --oracle).
bad_*.onnx are models that the compiler must refuse. Everything is seeded.
"""
import argparse
import pathlib

import numpy as np
from onnx import TensorProto as T
from onnx import helper as h
from onnx import numpy_helper

DATA = pathlib.Path(__file__).resolve().parent / "data"
RNG = np.random.default_rng(5)


def save(name, nodes, x, out_type, out_shape, consts, in_shape=None):
    types = {np.dtype(np.float32): T.FLOAT, np.dtype(np.uint8): T.UINT8, np.dtype(np.int8): T.INT8}
    graph = h.make_graph(
        nodes,
        name,
        [h.make_tensor_value_info("x", types[x.dtype], in_shape or list(x.shape))],
        [h.make_tensor_value_info("y", out_type, out_shape)],
        [numpy_helper.from_array(np.asarray(v), k) for k, v in consts.items()],
    )
    m = h.make_model(graph, opset_imports=[h.make_opsetid("", 13)])
    m.ir_version = 7
    (DATA / f"{name}.onnx").write_bytes(m.SerializeToString())
    (DATA / f"{name}.in.bin").write_bytes(x.tobytes())


def n(op, inputs, out, **kw):
    return h.make_node(op, inputs, [out], f"{op.lower()}_{out}", **kw)


def f32(*shape, scale=1.0):
    return (RNG.normal(0, scale, shape)).astype(np.float32)


def u8(*shape):
    return RNG.integers(0, 256, shape).astype(np.uint8)


def s7(*shape):
    return RNG.integers(-64, 64, shape).astype(np.int8)


def qlinear():
    qlm = n("QLinearMatMul", ["x", "as", "az", "w", "ws", "wz", "ys", "yz"], "y")
    common = {"as": np.float32(0.037), "az": np.uint8(131), "ys": np.float32(1.73), "yz": np.uint8(97)}
    save("qlinear", [qlm], u8(23, 45), T.UINT8, [23, 21],
         dict(common, w=s7(45, 21), ws=np.float32(0.021), wz=np.int8(0)))
    save("qlinear_weights_zero", [qlm], u8(5, 133), T.UINT8, [5, 17],
         dict(common, w=(s7(133, 17).astype(int) + 128).astype(np.uint8), ws=np.float32(0.011),
              wz=np.uint8(125)))
    save("qlinear_columns", [qlm], u8(2, 3, 40), T.UINT8, [2, 3, 33],
         dict(common, w=s7(40, 33), ws=(0.02 + 0.01 * RNG.random(33)).astype(np.float32),
              wz=np.zeros(33, np.int8)))


def matmul_integer():
    save("matmul_integer", [n("MatMulInteger", ["x", "w", "az", "wz"], "y")], u8(19, 70), T.INT32,
         [19, 35], dict(w=s7(70, 35), az=np.uint8(77), wz=np.int8(3)))


def qdq():
    nodes = [
        n("QuantizeLinear", ["x", "xs", "xz"], "xq"), n("DequantizeLinear", ["xq", "xs", "xz"], "xd"),
        n("DequantizeLinear", ["w", "ws", "wz"], "wd", axis=0),
        n("DequantizeLinear", ["b", "bs", "bz"], "bd", axis=0),
        n("Gemm", ["xd", "wd", "bd"], "g", transB=1), n("Relu", ["g"], "r"),
        n("QuantizeLinear", ["r", "hs", "hz"], "hq"), n("DequantizeLinear", ["hq", "hs", "hz"], "y"),
    ]
    ws = (0.01 + 0.02 * RNG.random(27)).astype(np.float32)
    xs = np.float32(1 / 32)
    save("qdq_gemm", nodes, f32(11, 50), T.FLOAT, [11, 27],
         dict(xs=xs, xz=np.uint8(120), w=s7(27, 50), ws=ws, wz=np.zeros(27, np.int8),
              b=RNG.integers(-2000, 2000, 27).astype(np.int32), bs=xs * ws, bz=np.zeros(27, np.int32),
              hs=np.float32(0.05), hz=np.uint8(0)))


def qdq_residual():
    nodes = [
        n("DequantizeLinear", ["x", "xs", "xz"], "xd"),
        n("DequantizeLinear", ["w", "ws", "wz"], "wd"),
        n("MatMul", ["xd", "wd"], "g"),
        n("QuantizeLinear", ["g", "gs", "gz"], "gq"), n("DequantizeLinear", ["gq", "gs", "gz"], "gd"),
        n("Add", ["gd", "xd"], "a"), n("QuantizeLinear", ["a", "ys", "yz"], "y"),
    ]
    save("qdq_residual", nodes, u8(30, 24), T.UINT8, [30, 24],
         dict(xs=np.float32(0.02), xz=np.uint8(128), w=s7(24, 24), ws=np.float32(0.015),
              wz=np.int8(0), gs=np.float32(0.06), gz=np.uint8(128), ys=np.float32(0.07),
              yz=np.uint8(128)))


def floats():
    nodes = [
        n("Reshape", ["x", "to"], "xr"),
        n("MatMul", ["xr", "w1"], "m"), n("Add", ["m", "b1"], "a"), n("Relu", ["a"], "r"),
        n("MatMul", ["r", "w2"], "m2"), n("Add", ["m2", "r"], "s"),
        n("Gemm", ["s", "w3", "b3"], "y", transB=1, alpha=0.5, beta=2.0),
    ]
    consts = dict(to=np.array([-1, 36], np.int64), w1=f32(36, 32, scale=0.2), b1=f32(32),
                  w2=f32(32, 32, scale=0.2), w3=f32(13, 32, scale=0.3), b3=f32(13))
    x = f32(9, 6, 6)
    save("float_mlp", nodes, x, T.FLOAT, [9, 13], consts)
    nodes = nodes[:-1] + [
        n("Gemm", ["s", "w3", "b3"], "l", transB=1), n("ArgMax", ["l"], "y", axis=-1, keepdims=0)]
    save("float_argmax", nodes, x, T.INT64, [9], consts)


def bad():
    x = f32(4, 8)
    w = dict(w=f32(8, 3))
    good = [n("MatMul", ["x", "w"], "y")]
    save("bad_operator", [n("MatMul", ["x", "w"], "m"), n("Softmax", ["m"], "y")], x, T.FLOAT, [4, 3], w)
    save("bad_negative_dim", good, x, T.FLOAT, [4, 3], w, in_shape=[4, -8])
    save("bad_zero_dim", good, x, T.FLOAT, [4, 3], w, in_shape=[0, 8])
    save("bad_huge_dim", good, x, T.FLOAT, [4, 3], w, in_shape=[1 << 40, 8])
    save("bad_rank", good, x, T.FLOAT, [4, 1, 3], w)
    save("bad_k", good, x, T.FLOAT, [4, 3], dict(w=f32(9, 3)))
    save("bad_reshape", [n("Reshape", ["x", "to"], "y")], x, T.FLOAT, [4, 8],
         dict(to=np.array([-2, 16], np.int64)))
    save("bad_axis", [n("ArgMax", ["x"], "y", axis=-7)], x, T.INT64, [4, 1], {})
    save("bad_order", [n("Relu", ["later"], "y"), n("MatMul", ["x", "w"], "later")], x, T.FLOAT, [4, 3], w)
    for name, location in (("bad_external_up", "../weights.bin"), ("bad_external_link", "link.bin"),
                           ("bad_external_absolute", "/etc/passwd"), ("bad_external_short", "short.bin")):
        save(name, good, x, T.FLOAT, [4, 3], {})
        path = DATA / f"{name}.onnx"
        import onnx

        m = onnx.load(str(path), load_external_data=False)
        t = T(name="w", data_type=T.FLOAT, dims=[8, 3], data_location=T.EXTERNAL)
        e = t.external_data.add()
        e.key, e.value = "location", location
        m.graph.initializer.append(t)
        path.write_bytes(m.SerializeToString())
    save("bad_same_name", good, x, T.FLOAT, [4, 3], w)
    import onnx

    m = onnx.load(str(DATA / "bad_same_name.onnx"))
    m.graph.initializer.append(numpy_helper.from_array(f32(8, 3), "w"))
    (DATA / "bad_same_name.onnx").write_bytes(m.SerializeToString())
    for f in DATA.glob("bad_*.in.bin"):
        f.unlink()


def oracle():
    import onnxruntime

    for path in sorted(DATA.glob("*.in.bin")):
        name = path.name[: -len(".in.bin")]
        s = onnxruntime.InferenceSession(str(DATA / f"{name}.onnx"), providers=["CPUExecutionProvider"])
        i = s.get_inputs()[0]
        dtype = {"tensor(float)": np.float32, "tensor(uint8)": np.uint8, "tensor(int8)": np.int8}[i.type]
        x = np.frombuffer(path.read_bytes(), dtype).reshape(i.shape)
        y = s.run(None, {"x": x})[0]
        (DATA / f"{name}.out.bin").write_bytes(y.tobytes())
        print(name, y.dtype, y.shape, y.min(), y.max())


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--oracle", action="store_true")
    if parser.parse_args().oracle:
        return oracle()
    DATA.mkdir(exist_ok=True)
    for make in (qlinear, matmul_integer, qdq, qdq_residual, floats, bad):
        make()


if __name__ == "__main__":
    main()
