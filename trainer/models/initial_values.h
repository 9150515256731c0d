// Computes the elements of a model's tensor before training, such as random numbers for weights. The elements are the
// same on any machine, and do not depend on which part of the tensor is computed, so each parameter server computes its
// own part.
#pragma once

#include <cstdint>
#include <span>

#include "trainer/kernels/layout.h"

namespace carrack::train {

struct InitialValues {
  enum class Kind {
    constant,          // all elements are `scale`
    forget_gate,       // the elements of the second of four equal parts are `scale`, and all others 0
    uniform,           // uniformly distributed over [-scale, scale)
    truncated_normal,  // normal with standard deviation `scale`, but without values beyond twice that
    orthogonal,        // a matrix with orthonormal rows, or columns if it has fewer columns; `scale` is not used
    of_data,           // the mean or deviation of the training data (see ValuesOfData in model.h); `scale` is not used
  };
  Kind kind = Kind::constant;
  float scale = 0;
  bool operator==(const InitialValues&) const = default;
};

// The maximum number of elements of an orthogonal matrix; LayerBuilder::initializer_of() (layer_kinds.h) enforces it.
// Even for a part of such a matrix all of it is computed, which takes seconds.
inline constexpr std::int64_t orthogonal_elements_max = std::int64_t{1} << 22;

// Writes the elements with the indices `part`, counted in row-major order from the first element of the tensor, to
// `values`, which must have part.size() elements. An element depends only on `initial`, the seed, the tensor's name and
// the element's index, and for forget_gate and orthogonal also on the shape. Throws Error with Blame::bug for
// Kind::of_data.
void write_initial_values(const InitialValues& initial, const NamedShape& tensor, std::uint64_t seed, Range part,
                          std::span<float> values);

}  // namespace carrack::train
