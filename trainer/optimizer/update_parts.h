// Which elements of a server's range are updated with which settings.
#pragma once

#include <optional>
#include <vector>

#include "trainer/kernels/layout.h"
#include "trainer/launch/config.h"

namespace carrack::train {

// Neighbouring elements with the same settings.
struct UpdatePart {
  Range range;                                        // counted from the first element of the server's range
  double rate_scale = 1;                              // 0: neither the elements nor their states change
  std::optional<double> weight_decay = std::nullopt;  // instead of the optimizer's
  std::optional<double> own_rate = std::nullopt;      // in place of the optimizer, as of the tensor's NamedShape
  bool operator==(const UpdatePart&) const = default;
};

// Parts that make up all of `range`, in order. A tensor with a rate of its own has no setting of its group, but that it
// is frozen. Parts depend on the layout's tensors only, so an element has the same settings however the buffer is
// divided among servers.
std::vector<UpdatePart> update_parts(const std::vector<TensorGroup>& groups, const Layout& layout, Range range);

}  // namespace carrack::train
