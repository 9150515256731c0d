// The functions for operators that sum over axes, or move elements.
#include <algorithm>

#include "trainer/reference/functions.h"

namespace carrack::train::reference {
namespace {

// A shape with three dimensions, [outer, axes, inner], for the same elements: the dimensions from `first` to `last` are
// joined to `axes`, those before them to `outer`, and those after them to `inner`.
struct Axes {
  Axes(const Shape& shape, std::int64_t first, std::int64_t last) {
    for (std::int64_t i = 0; i < std::ssize(shape); ++i) {
      (i < first ? outer : i <= last ? axes : inner) *= static_cast<std::size_t>(shape[static_cast<std::size_t>(i)]);
    }
  }
  std::size_t outer = 1, axes = 1, inner = 1;
};

// Returns the Axes of `shape` whose middle dimension is the one that the node's attribute `axis` names.
Axes at_axis(const Call& call, const Shape& shape) {
  const auto axis = call.node.attributes.get<std::int64_t>("axis");
  return {shape, axis, axis};
}

void reduce_sum(const Call& call) {
  const auto& axes = call.node.attributes.get<std::vector<std::int64_t>>("axes");
  const Axes from(call.in_shape(0), axes.front(), axes.back());
  for (std::size_t i = 0; i < call.in(0).size(); ++i) {
    call.out()[i / (from.axes * from.inner) * from.inner + i % from.inner] += call.in(0)[i];
  }
}

void reshape(const Call& call) {
  call.out() = call.in(0);
}

// Copies elements along the middle dimension (see Axes). It reads from index `from_begin` of `from` on, and writes from
// index `to_begin` of `to` on, until either dimension ends.
void copy_axis(const Doubles& from, Axes from_axes, std::size_t from_begin, Doubles& to, Axes to_axes,
               std::size_t to_begin) {
  const std::size_t count = std::min(from_axes.axes - from_begin, to_axes.axes - to_begin);
  for (std::size_t outer = 0; outer < from_axes.outer; ++outer) {
    for (std::size_t i = 0; i < count * from_axes.inner; ++i) {
      to[(outer * to_axes.axes + to_begin) * to_axes.inner + i] =
          from[(outer * from_axes.axes + from_begin) * from_axes.inner + i];
    }
  }
}

void concat(const Call& call) {
  std::size_t begin = 0;
  for (std::size_t i = 0; i < call.inputs.size(); ++i) {
    const Axes from = at_axis(call, call.in_shape(i));
    copy_axis(call.in(i), from, 0, call.out(), at_axis(call, call.out_shape()), begin);
    begin += from.axes;
  }
}

void slice(const Call& call) {
  const auto start = static_cast<std::size_t>(call.node.attributes.get<std::int64_t>("start"));
  copy_axis(call.in(0), at_axis(call, call.in_shape(0)), start, call.out(), at_axis(call, call.out_shape()), 0);
}

void pad(const Call& call) {
  const auto before = static_cast<std::size_t>(call.node.attributes.get<std::int64_t>("before"));
  copy_axis(call.in(0), at_axis(call, call.in_shape(0)), 0, call.out(), at_axis(call, call.out_shape()), before);
}

void reverse(const Call& call) {
  const Axes axes = at_axis(call, call.in_shape(0));
  for (std::size_t i = 0; i < call.in(0).size(); ++i) {
    const std::size_t at = i / axes.inner % axes.axes;
    call.out()[i + (axes.axes - 1 - at) * axes.inner - at * axes.inner] = call.in(0)[i];
  }
}

constexpr Function functions[] = {
    {"ReduceSum", reduce_sum}, {"Reshape", reshape}, {"Concat", concat},
    {"Slice", slice},          {"Pad", pad},         {"Reverse", reverse},
};

}  // namespace

std::span<const Function> shape_functions() {
  return functions;
}

}  // namespace carrack::train::reference
