// Divides a server's range into parts whose elements are updated with the same settings.
#pragma once

#include <optional>
#include <vector>

#include "trainer/kernels/layout.h"
#include "trainer/launch/config.h"

namespace carrack::train {

// Neighbouring elements with the same settings.
struct UpdatePart {
  Range range;                                        // counted from the first element of the server's range
  double rate_scale = 1;                              // factor of the learning rate; 0: frozen, elements and state stay
  std::optional<double> weight_decay = std::nullopt;  // replaces the optimizer's, if set
  std::optional<double> own_rate = std::nullopt;      // replaces the optimizer, if set; NamedShape::own_rate (layout.h)
  bool operator==(const UpdatePart&) const = default;
};

// Returns parts that together make up `range`, in order. `range` must begin and end between rows, or Error with
// Blame::bug is thrown. A tensor with a rate of its own takes no setting from its group, except that a frozen group
// freezes it, too. Parts depend only on the tensors of the layout, so an element has the same settings however the
// buffer is divided among servers.
std::vector<UpdatePart> update_parts(const std::vector<TensorGroup>& groups, const Layout& layout, Range range);

}  // namespace carrack::train
