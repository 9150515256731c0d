// The elements of a tensor before training. Pure: they are the same on any machine, and for any part of the tensor.
#pragma once

#include <cstdint>
#include <span>

#include "trainer/kernels/layout.h"

namespace carrack::train {

struct InitialValues {
  enum class Kind {
    constant,          // all are `scale`
    forget_gate,       // the elements of the second of four equal parts are `scale`, and all others 0
    uniform,           // uniform over [-scale, scale)
    truncated_normal,  // normal with standard deviation `scale`, but without values beyond twice that
    orthogonal,        // a matrix with orthonormal rows, or columns if it has fewer columns; `scale` is not used
    of_data,           // computed from the training data, and never changed; `scale` is not used
  };
  Kind kind = Kind::constant;
  float scale = 0;
  bool operator==(const InitialValues&) const = default;
};

// The most elements of an orthogonal matrix. It is computed as a whole, for any part of it, which takes seconds.
inline constexpr std::int64_t orthogonal_elements_max = std::int64_t{1} << 22;

// Writes the elements `part` of the tensor to `values`, which has their number. An element depends only on the seed,
// the tensor's name and the element's number; in an orthogonal matrix also on the shape. Throws Error with Blame::bug
// for Kind::of_data.
void write_initial_values(const InitialValues& initial, const NamedShape& tensor, std::uint64_t seed, Range part,
                          std::span<float> values);

}  // namespace carrack::train
