//===- Native.h - the kernels' values as host numbers -----------*- C++ -*-===//
// Part of the nxv project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
// Instantiates the kernels with float or double, so that a test can measure
// their error over millions of points. With `Perturb`, division and the
// reciprocal square root's estimate are wrong by up to two units in the last
// place, as Vulkan allows a device to be.

#ifndef NXV_LIB_MATH_KERNELS_NATIVE_H
#define NXV_LIB_MATH_KERNELS_NATIVE_H

#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace nxv::math::kernels {

struct NativeMask {
  bool v;
  friend NativeMask operator&(NativeMask a, NativeMask b) {
    return {a.v && b.v};
  }
  friend NativeMask operator|(NativeMask a, NativeMask b) {
    return {a.v || b.v};
  }
  friend NativeMask operator!(NativeMask a) { return {!a.v}; }
};

template <typename T, bool Perturb>
struct NativeFloat;

template <typename T, bool Perturb>
struct NativeInt {
  using Float = NativeFloat<T, Perturb>;
  using S = std::conditional_t<sizeof(T) == 4, int32_t, int64_t>;
  using U = std::make_unsigned_t<S>;
  S v;

  NativeInt constant(int64_t c) const { return {static_cast<S>(c)}; }
  friend NativeInt operator+(NativeInt a, NativeInt b) {
    return {static_cast<S>(static_cast<U>(a.v) + static_cast<U>(b.v))};
  }
  friend NativeInt operator-(NativeInt a, NativeInt b) {
    return {static_cast<S>(static_cast<U>(a.v) - static_cast<U>(b.v))};
  }
  friend NativeInt operator*(NativeInt a, NativeInt b) {
    return {static_cast<S>(static_cast<U>(a.v) * static_cast<U>(b.v))};
  }
  friend NativeInt operator&(NativeInt a, NativeInt b) { return {a.v & b.v}; }
  friend NativeInt operator|(NativeInt a, NativeInt b) { return {a.v | b.v}; }
  friend NativeInt operator^(NativeInt a, NativeInt b) { return {a.v ^ b.v}; }
  friend NativeInt shl(NativeInt a, NativeInt b) {
    return {static_cast<S>(static_cast<U>(a.v) << b.v)};
  }
  friend NativeInt sar(NativeInt a, NativeInt b) { return {a.v >> b.v}; }
  friend NativeInt shr(NativeInt a, NativeInt b) {
    return {static_cast<S>(static_cast<U>(a.v) >> b.v)};
  }
  friend NativeMask operator<(NativeInt a, NativeInt b) { return {a.v < b.v}; }
  friend NativeMask operator>(NativeInt a, NativeInt b) { return {a.v > b.v}; }
  friend NativeMask operator==(NativeInt a, NativeInt b) {
    return {a.v == b.v};
  }
  friend NativeMask operator!=(NativeInt a, NativeInt b) {
    return {a.v != b.v};
  }
  friend NativeInt select(NativeMask m, NativeInt a, NativeInt b) {
    return m.v ? a : b;
  }
  /// The upper half of the unsigned product.
  friend NativeInt mulHigh(NativeInt a, NativeInt b) {
    using Wide =
        std::conditional_t<sizeof(T) == 4, uint64_t, unsigned __int128>;
    Wide p = static_cast<Wide>(static_cast<U>(a.v)) * static_cast<U>(b.v);
    return {static_cast<S>(static_cast<U>(p >> (8 * sizeof(T))))};
  }
  friend NativeMask unsignedLess(NativeInt a, NativeInt b) {
    return {static_cast<U>(a.v) < static_cast<U>(b.v)};
  }
  friend Float floatOf(NativeInt a) {
    Float f;
    std::memcpy(&f.v, &a.v, sizeof(T));
    return f;
  }
  friend Float toFloat(NativeInt a) { return {static_cast<T>(a.v)}; }
};

template <typename T, bool Perturb>
struct NativeFloat {
  using Int = NativeInt<T, Perturb>;
  using Mask = NativeMask;
  static constexpr bool kIsDouble = sizeof(T) == 8;
  T v;

  NativeFloat constant(double c) const { return {static_cast<T>(c)}; }
  Int intConstant(int64_t c) const { return Int().constant(c); }

  friend NativeFloat operator+(NativeFloat a, NativeFloat b) {
    return {a.v + b.v};
  }
  friend NativeFloat operator-(NativeFloat a, NativeFloat b) {
    return {a.v - b.v};
  }
  friend NativeFloat operator*(NativeFloat a, NativeFloat b) {
    return {a.v * b.v};
  }
  friend NativeFloat operator/(NativeFloat a, NativeFloat b) {
    return perturbed({a.v / b.v});
  }
  friend NativeFloat operator-(NativeFloat a) { return {-a.v}; }
  friend NativeMask operator<(NativeFloat a, NativeFloat b) {
    return {a.v < b.v};
  }
  friend NativeMask operator>(NativeFloat a, NativeFloat b) {
    return {a.v > b.v};
  }
  friend NativeMask operator<=(NativeFloat a, NativeFloat b) {
    return {a.v <= b.v};
  }
  friend NativeMask operator>=(NativeFloat a, NativeFloat b) {
    return {a.v >= b.v};
  }
  friend NativeMask operator==(NativeFloat a, NativeFloat b) {
    return {a.v == b.v};
  }
  friend NativeMask operator!=(NativeFloat a, NativeFloat b) {
    return {a.v != b.v};
  }
  friend NativeFloat select(NativeMask m, NativeFloat a, NativeFloat b) {
    return m.v ? a : b;
  }
  friend Int bitsOf(NativeFloat a) {
    Int i;
    std::memcpy(&i.v, &a.v, sizeof(T));
    return i;
  }
  friend NativeFloat abs(NativeFloat a) { return {std::fabs(a.v)}; }
  friend NativeFloat floor(NativeFloat a) { return {std::floor(a.v)}; }
  /// 1 / sqrt(a) of single precision, for `a` within f32's normal range.
  friend NativeFloat rsqrtEstimate(NativeFloat a) {
    NativeFloat<float, Perturb> narrow{1.0f /
                                       std::sqrt(static_cast<float>(a.v))};
    return {static_cast<T>(decltype(narrow)::perturbed(narrow).v)};
  }

  static NativeFloat perturbed(NativeFloat a) {
    if constexpr (Perturb) {
      if (!std::isfinite(a.v) || a.v == 0)
        return a;
      Int i = bitsOf(a);
      uint64_t hash =
          static_cast<uint64_t>(i.v) * 0x9e3779b97f4a7c15ull + 0x7f4a7c15ull;
      i.v += static_cast<int>((hash >> 40) % 5) - 2;
      return floatOf(i);
    }
    return a;
  }
};

/// `fast` where no lane is in `rare`, else what `slow` computes.
template <typename State, typename Slow>
State whenAny(NativeMask rare, const State &fast, Slow slow) {
  return rare.v ? slow() : fast;
}

} // namespace nxv::math::kernels

#endif // NXV_LIB_MATH_KERNELS_NATIVE_H
