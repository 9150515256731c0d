// What the elements of a tensor are before training. Pure: the same on any machine, and for any part of the tensor.
#pragma once

#include <cstdint>
#include <span>

#include "trainer/kernels/layout.h"

namespace carrack::train {

struct InitialValues {
  enum class Kind {
    constant,          // all are `scale`
    second_quarter,    // those of the second of four equal parts are `scale`, and all others 0
    uniform,           // over [-scale, scale)
    truncated_normal,  // with standard deviation `scale`, before those beyond two of these were left out
    orthogonal,        // a matrix with orthonormal rows, or columns if it has fewer of them; `scale` is not used
    of_data,           // computed of the training data, and never changed; `scale` is not used
  };
  Kind kind = Kind::constant;
  float scale = 0;
  bool operator==(const InitialValues&) const = default;
};

// How many elements an orthogonal matrix may have: it is computed as a whole, in seconds at most.
inline constexpr std::int64_t orthogonal_elements_max = std::int64_t{1} << 22;

// Writes the elements `part` of the tensor. Each depends on the seed, on the tensor's name and on its own number; those
// of an orthogonal matrix on its shape, too. Throws a bug for values of the data.
void write_initial_values(const InitialValues& initial, const NamedShape& tensor, std::uint64_t seed, Range part,
                          std::span<float> values);

}  // namespace carrack::train
