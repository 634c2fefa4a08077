"""Vector instructions for short rows of known length, which LLVM does not find by itself.

It must assume that a row written overlaps the row read next, and then checks that for every 16 numbers; these
functions say what is meant in one step. `lanes` is a constant at compile time. Offsets count from the first
element of C-contiguous float32 arrays.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]
from numba import njit
from numba.core import cgutils, types
from numba.extending import intrinsic

FLOAT = ir.FloatType()
LOOSE = ("reassoc", "contract", "nsz")  # sums in any order; NaN and infinity keep their meaning
F = np.float32


def _pointer(context: Any, builder: Any, array_type: Any, array: Any, offset: Any, lanes: int) -> Any:
    data = context.make_array(array_type)(context, builder, array).data
    return builder.bitcast(builder.gep(data, [offset]), ir.VectorType(FLOAT, lanes).as_pointer())


def _load(builder: Any, pointer: Any) -> Any:
    vector = builder.load(pointer)
    vector.align = 4
    return vector


def _splat(builder: Any, number: Any, lanes: int) -> Any:
    kind = ir.VectorType(FLOAT, lanes)
    first = builder.insert_element(ir.Constant(kind, ir.Undefined), number, ir.Constant(ir.IntType(32), 0))
    zeros = ir.Constant(ir.VectorType(ir.IntType(32), lanes), [0] * lanes)
    return builder.shuffle_vector(first, ir.Constant(kind, ir.Undefined), zeros)


def _add_to(builder: Any, pointer: Any, vector: Any) -> None:
    builder.store(builder.fadd(_load(builder, pointer), vector, flags=LOOSE), pointer).align = 4


def _total(builder: Any, vector: Any) -> Any:
    name = f"llvm.vector.reduce.fadd.v{vector.type.count}f32"
    kind = ir.FunctionType(FLOAT, [FLOAT, vector.type])
    function = cgutils.get_or_insert_function(builder.module, kind, name)
    return builder.call(function, [ir.Constant(FLOAT, -0.0), vector], fastmath=LOOSE)


def _leaky(builder: Any, vector: Any, slope: Any) -> tuple[Any, Any]:
    """LeakyReLU of a vector, and its derivative."""
    lanes = vector.type.count
    positive = builder.fcmp_ordered(">", vector, ir.Constant(vector.type, [0.0] * lanes))
    step = builder.select(positive, ir.Constant(vector.type, [1.0] * lanes), _splat(builder, slope, lanes))
    return builder.fmul(vector, step, flags=LOOSE), step


@intrinsic(prefer_literal=True)
def add_scaled(typing: Any, out: Any, o: Any, a: Any, x: Any, i: Any, lanes: Any) -> Any:
    """out[o : o + lanes] += a · x[i : i + lanes]."""
    n = lanes.literal_value

    def generate(context: Any, b: Any, signature: Any, args: Any) -> Any:
        to = _pointer(context, b, signature.args[0], args[0], args[1], n)
        row = _load(b, _pointer(context, b, signature.args[3], args[3], args[4], n))
        _add_to(b, to, b.fmul(_splat(b, args[2], n), row, flags=LOOSE))
        return context.get_dummy_value()

    return types.void(out, types.intp, types.float32, x, types.intp, lanes), generate


@intrinsic(prefer_literal=True)
def dot(typing: Any, x: Any, i: Any, y: Any, j: Any, lanes: Any) -> Any:
    """Σ x[i : i + lanes] · y[j : j + lanes]."""
    n = lanes.literal_value

    def generate(context: Any, b: Any, signature: Any, args: Any) -> Any:
        left = _load(b, _pointer(context, b, signature.args[0], args[0], args[1], n))
        right = _load(b, _pointer(context, b, signature.args[2], args[2], args[3], n))
        return _total(b, b.fmul(left, right, flags=LOOSE))

    return types.float32(x, types.intp, y, types.intp, lanes), generate


@intrinsic(prefer_literal=True)
def leaky_dot(typing: Any, x: Any, i: Any, y: Any, j: Any, a: Any, k: Any, slope: Any, lanes: Any) -> Any:
    """Σ LeakyReLU(x[i : i + lanes] + y[j : j + lanes]) · a[k : k + lanes]."""
    n = lanes.literal_value

    def generate(context: Any, b: Any, signature: Any, args: Any) -> Any:
        left, right, weight = (
            _load(b, _pointer(context, b, signature.args[p], args[p], args[p + 1], n)) for p in (0, 2, 4)
        )
        value, _ = _leaky(b, b.fadd(left, right, flags=LOOSE), args[6])
        return _total(b, b.fmul(value, weight, flags=LOOSE))

    signature = types.float32(x, types.intp, y, types.intp, a, types.intp, types.float32, lanes)
    return signature, generate


@intrinsic(prefer_literal=True)
def leaky_dot_backward(
    typing: Any,
    g: Any,
    x: Any,
    dx: Any,
    i: Any,
    y: Any,
    dy: Any,
    j: Any,
    a: Any,
    da: Any,
    k: Any,
    slope: Any,
    lanes: Any,
) -> Any:
    """Add the gradients of g · leaky_dot(x, i, y, j, a, k) to dx, dy and da, at the same offsets."""
    n = lanes.literal_value

    def generate(context: Any, b: Any, signature: Any, args: Any) -> Any:
        def at(array: int, offset: int) -> Any:
            return _pointer(context, b, signature.args[array], args[array], args[offset], n)

        g_all = _splat(b, args[0], n)
        pair = b.fadd(_load(b, at(1, 3)), _load(b, at(4, 6)), flags=LOOSE)
        value, step = _leaky(b, pair, args[10])
        inner = b.fmul(g_all, b.fmul(_load(b, at(7, 9)), step, flags=LOOSE), flags=LOOSE)
        _add_to(b, at(2, 3), inner)
        _add_to(b, at(5, 6), inner)
        _add_to(b, at(8, 9), b.fmul(g_all, value, flags=LOOSE))
        return context.get_dummy_value()

    p, f = types.intp, types.float32
    return types.void(f, x, dx, p, y, dy, p, a, da, p, f, lanes), generate


@intrinsic
def float_of_bits(typing: Any, bits: Any) -> Any:
    """The float32 with these 32 bits."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.bitcast(args[0], FLOAT)

    return types.float32(types.int32), generate


@njit(inline="always")
def exponential(x: np.float32) -> np.float32:
    """exp(x) in float32 to 3e-7 relative, for x clipped to [-87, 88]. Loops over it vectorise.

    x = k ln 2 + r with |r| ≤ ln 2 / 2; exp(r) by the polynomial of the Cephes library, 2^k by its bits.
    """
    x = min(max(x, F(-87.0)), F(88.0))
    k = np.floor(x * F(1.4426950408889634) + F(0.5))
    r = x - k * F(0.693359375) + k * F(2.12194440e-4)
    p = F(1.9875691500e-4)
    p = p * r + F(1.3981999507e-3)
    p = p * r + F(8.3334519073e-3)
    p = p * r + F(4.1665795894e-2)
    p = p * r + F(1.6666665459e-1)
    p = p * r + F(5.0000001201e-1)
    power = float_of_bits((np.int32(k) + np.int32(127)) << np.int32(23))
    result: np.float32 = (p * r * r + r + F(1.0)) * power
    return result
