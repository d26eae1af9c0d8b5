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
    # two inputs of one name and different shapes
    save("bad_same_input", good, x, T.FLOAT, [4, 3], w)
    m = onnx.load(str(DATA / "bad_same_input.onnx"))
    m.graph.input.append(onnx.helper.make_tensor_value_info("x", T.FLOAT, [7, 8]))
    (DATA / "bad_same_input.onnx").write_bytes(m.SerializeToString())
    for f in DATA.glob("bad_*.in.bin"):
        f.unlink()


def conv(inputs, out, **kw):
    return n("Conv", inputs, out, **kw)


def convolutions():
    """Seeded on their own: models above stay as they are when one is added here."""
    rng = np.random.default_rng(17)

    def weights(*shape):
        return rng.integers(-64, 64, shape).astype(np.int8)

    def pixels(*shape):
        return rng.integers(0, 256, shape).astype(np.uint8)

    def qlinear(name, x, w, out, ws=np.float32(0.013), ys=np.float32(0.17), bias=True, xz=np.uint8(113),
                yz=np.uint8(119), **kw):
        c = dict(xs=np.float32(0.031), xz=xz, w=w, ws=ws, ys=ys, yz=yz,
                 wz=np.zeros(ws.shape, w.dtype))
        names = ["x", "xs", "xz", "w", "ws", "wz", "ys", "yz"]
        if bias:
            c["b"] = rng.integers(-3000, 3000, w.shape[0]).astype(np.int32)
            names.append("b")
        types = {np.dtype(np.uint8): T.UINT8, np.dtype(np.int8): T.INT8}
        save(name, [n("QLinearConv", names, "y", **kw)], x, types[yz.dtype], out, c)

    def scales(m):
        return (0.008 + 0.012 * rng.random(m)).astype(np.float32)

    # C16: all of the input is the zero point, so is the border: every pixel of a channel is equal.
    qlinear("conv_c16", np.full((1, 3, 6, 7), -128, np.int8), weights(5, 3, 3, 3), [1, 5, 6, 7],
            xz=np.int8(-128), yz=np.int8(-7), auto_pad="SAME_UPPER")
    # The same with other pixels.
    qlinear("conv_c16_edges", rng.integers(-128, 128, (1, 3, 6, 7)).astype(np.int8),
            weights(5, 3, 3, 3), [1, 5, 6, 7], xz=np.int8(-128), yz=np.int8(-7), auto_pad="SAME_UPPER")
    # C17: even kernels, whose border is uneven; a border of 1 with steps of 2.
    for at in ("UPPER", "LOWER"):
        qlinear(f"conv_c17_even_{at.lower()}", pixels(1, 4, 7, 9), weights(6, 4, 2, 4), [1, 6, 7, 9],
                auto_pad=f"SAME_{at}")
        qlinear(f"conv_c17_even_stride_{at.lower()}", pixels(1, 2, 9, 8), weights(3, 2, 4, 2),
                [1, 3, 5, 3], auto_pad=f"SAME_{at}", strides=[2, 3])
    qlinear("conv_c17_pad1_stride2", pixels(1, 3, 8, 8), weights(7, 3, 3, 3), [1, 7, 4, 4],
            pads=[1, 1, 1, 1], strides=[2, 2])
    qlinear("conv_c17_pad1_stride2_odd", pixels(1, 3, 7, 9), weights(7, 3, 3, 3), [1, 7, 4, 5],
            pads=[1, 1, 1, 1], strides=[2, 2], kernel_shape=[3, 3])
    qlinear("conv_uneven", pixels(2, 5, 9, 6), weights(20, 5, 3, 2), [2, 20, 5, 6], ws=scales(20),
            pads=[0, 1, 2, 0], strides=[2, 1])
    qlinear("conv_valid", pixels(3, 1, 12, 11), weights(9, 1, 5, 1), [3, 9, 8, 11], ws=scales(9),
            bias=False, auto_pad="VALID")
    qlinear("conv_point", pixels(1, 21, 5, 6), weights(18, 21, 1, 1), [1, 18, 5, 6], ws=scales(18))
    # A border wider than the kernel: pixels that read nothing but border.
    qlinear("conv_wide_border", pixels(1, 2, 3, 3), weights(2, 2, 2, 2), [1, 2, 8, 6],
            pads=[3, 2, 3, 2])
    save("conv_integer", [n("ConvInteger", ["x", "w", "xz", "wz"], "y", pads=[1, 1, 0, 1])],
         pixels(1, 3, 6, 5), T.INT32, [1, 11, 5, 5],
         dict(w=weights(11, 3, 3, 3), xz=np.uint8(200), wz=np.int8(2)))

    def f(*shape, scale=1.0):
        return rng.normal(0, scale, shape).astype(np.float32)

    # Two layers, a residual, and a classifier over the flattened pixels.
    nodes = [
        conv(["x", "w1", "b1"], "c1", auto_pad="SAME_UPPER"), n("Relu", ["c1"], "r1"),
        conv(["r1", "w2", "b2"], "c2", pads=[1, 1, 1, 1]), n("Add", ["c2", "r1"], "s"),
        n("Relu", ["s"], "r2"), conv(["r2", "w3"], "c3", strides=[2, 2], pads=[1, 1, 1, 1]),
        n("Add", ["c3", "b3"], "a3"), n("Flatten", ["a3"], "f"), n("Gemm", ["f", "w4", "b4"], "y"),
    ]
    save("conv_float", nodes, f(2, 3, 8, 7), T.FLOAT, [2, 10],
         dict(w1=f(12, 3, 3, 3, scale=0.2), b1=f(12), w2=f(12, 12, 3, 3, scale=0.1), b2=f(12),
              w3=f(5, 12, 3, 3, scale=0.1), b3=f(5, 1, 1), w4=f(80, 10, scale=0.1), b4=f(10)))

    # As quantisers write it.
    def quantise(x, out, s, z):
        return [n("QuantizeLinear", [x, s, z], out + "_q"),
                n("DequantizeLinear", [out + "_q", s, z], out)]

    w1s, w2s = scales(8), scales(6)
    xs, hs = np.float32(1 / 32), np.float32(1 / 16)
    nodes = [
        *quantise("x", "xd", "xs", "xz"),
        n("DequantizeLinear", ["w1", "w1s", "w1z"], "w1d", axis=0),
        n("DequantizeLinear", ["b1", "b1s", "b1z"], "b1d", axis=0),
        n("DequantizeLinear", ["w2", "w2s", "w2z"], "w2d", axis=0),
        n("DequantizeLinear", ["b2", "b2s", "b2z"], "b2d", axis=0),
        conv(["xd", "w1d", "b1d"], "c1", pads=[1, 1, 1, 1]), n("Relu", ["c1"], "r1"),
        *quantise("r1", "hd", "hs", "hz"),
        conv(["hd", "w2d", "b2d"], "c2", auto_pad="SAME_LOWER", strides=[2, 2]),
        *quantise("c2", "y", "ys", "yz"),
    ]
    save("conv_qdq", nodes, f(2, 3, 9, 8), T.FLOAT, [2, 6, 5, 4],
         dict(xs=xs, xz=np.uint8(128), w1=weights(8, 3, 3, 3), w1s=w1s, w1z=np.zeros(8, np.int8),
              b1=rng.integers(-900, 900, 8).astype(np.int32), b1s=xs * w1s, b1z=np.zeros(8, np.int32),
              hs=hs, hz=np.uint8(3), w2=weights(6, 8, 2, 2), w2s=w2s, w2z=np.zeros(6, np.int8),
              b2=rng.integers(-900, 900, 6).astype(np.int32), b2s=hs * w2s, b2z=np.zeros(6, np.int32),
              ys=np.float32(0.21), yz=np.uint8(131)))

    # MaxPool: the border takes no part, whatever the pixels are.
    for name, x, kw, out in (
            ("maxpool_u8", pixels(2, 5, 9, 8), dict(kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1]),
             [2, 5, 5, 4]),
            ("maxpool_s8", rng.integers(-128, -100, (1, 20, 7, 6)).astype(np.int8),
             dict(kernel_shape=[2, 3], auto_pad="SAME_LOWER"), [1, 20, 7, 6]),
            ("maxpool_float", f(2, 3, 8, 7) - 3, dict(kernel_shape=[3, 2], strides=[2, 1], pads=[1, 0, 0, 1]),
             [2, 3, 4, 7])):
        types = {np.dtype(np.uint8): T.UINT8, np.dtype(np.int8): T.INT8, np.dtype(np.float32): T.FLOAT}
        save(name, [n("MaxPool", ["x"], "y", **kw)], x, types[x.dtype], out, {})

    # A small network of pictures, as quantisers write it.
    w1s, w2s, w3s = scales(8), scales(12), scales(10)
    gs = np.float32(1 / 8)
    nodes = [
        *quantise("x", "xd", "xs", "xz"),
        *(n("DequantizeLinear", [k, k + "s", k + "z"], k + "d", axis=0)
          for k in ("w1", "b1", "w2", "b2", "w3", "b3")),
        conv(["xd", "w1d", "b1d"], "c1", pads=[1, 1, 1, 1]), n("Relu", ["c1"], "r1"),
        *quantise("r1", "hd", "hs", "hz"),
        n("MaxPool", ["hd"], "p1", kernel_shape=[2, 2], strides=[2, 2]), *quantise("p1", "pd", "hs", "hz"),
        conv(["pd", "w2d", "b2d"], "c2"), *quantise("c2", "gd", "gs", "gz"),
        n("Flatten", ["gd"], "fl"), n("Gemm", ["fl", "w3d", "b3d"], "l", transB=1),
        *quantise("l", "y", "ys", "yz"),
    ]

    def bias(m):
        return rng.integers(-900, 900, m).astype(np.int32)

    save("conv_network", nodes, f(3, 1, 12, 12), T.FLOAT, [3, 10],
         dict(xs=xs, xz=np.uint8(128), w1=weights(8, 1, 3, 3), w1s=w1s, w1z=np.zeros(8, np.int8),
              b1=bias(8), b1s=xs * w1s, b1z=np.zeros(8, np.int32), hs=hs, hz=np.uint8(0),
              w2=weights(12, 8, 3, 3), w2s=w2s, w2z=np.zeros(12, np.int8), b2=bias(12), b2s=hs * w2s,
              b2z=np.zeros(12, np.int32), gs=gs, gz=np.uint8(128), w3=weights(10, 192), w3s=w3s,
              w3z=np.zeros(10, np.int8), b3=bias(10), b3s=gs * w3s, b3z=np.zeros(10, np.int32),
              ys=np.float32(0.4), yz=np.uint8(120)))

    # Refused.
    x, w = f(1, 4, 5, 5), dict(w=f(2, 4, 3, 3))
    for name, kw in (("dilations", dict(dilations=[2, 1])), ("pads", dict(pads=[1, -1, 1, 1])),
                     ("strides", dict(strides=[0, 1])), ("auto_pad", dict(auto_pad="SAME")),
                     ("both_pads", dict(auto_pad="SAME_UPPER", pads=[1, 1, 1, 1])),
                     ("three", dict(strides=[1, 1, 1])), ("shape", dict(kernel_shape=[3, 2]))):
        save(f"bad_conv_{name}", [conv(["x", "w"], "y", **kw)], x, T.FLOAT, [1, 2, 3, 3], w)
    save("bad_conv_group", [conv(["x", "w"], "y", group=2)], x, T.FLOAT, [1, 2, 3, 3],
         dict(w=f(2, 2, 3, 3)))
    save("bad_conv_large", [conv(["x", "w"], "y")], x, T.FLOAT, [1, 2, 1, 1], dict(w=f(2, 4, 6, 6)))
    save("bad_conv_channels", [conv(["x", "w"], "y")], x, T.FLOAT, [1, 2, 3, 3],
         dict(w=f(2, 3, 3, 3)))
    save("bad_conv_rank", [conv(["x", "w"], "y")], f(1, 4, 5), T.FLOAT, [1, 2, 3],
         dict(w=f(2, 4, 3)))
    save("bad_conv_bias", [conv(["x", "w", "b"], "y")], x, T.FLOAT, [1, 2, 3, 3], dict(w, b=f(3)))
    pool = dict(kernel_shape=[2, 2])
    for name, kw in (("ceil", dict(pool, ceil_mode=1)), ("pads", dict(pool, pads=[2, 0, 0, 0])),
                     ("dilations", dict(pool, dilations=[2, 2]))):
        save(f"bad_maxpool_{name}", [n("MaxPool", ["x"], "y", **kw)], x, T.FLOAT, [1, 4, 4, 4], {})
    for path in DATA.glob("bad_*.in.bin"):
        path.unlink()


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
    for make in (qlinear, matmul_integer, qdq, qdq_residual, floats, bad, convolutions):
        make()


if __name__ == "__main__":
    main()
