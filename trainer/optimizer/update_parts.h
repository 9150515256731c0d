// Divides a range of the parameters, that of a parameter server or all, into parts whose elements are updated with the
// same settings. The settings of tensors differ by training.groups, and because some tensors are not trained by their
// gradient.
#pragma once

#include <optional>
#include <vector>

#include "trainer/kernels/layout.h"
#include "trainer/launch/config.h"

namespace carrack::train {

// Neighbouring elements with the same settings.
struct UpdatePart {
  Range range;                                        // counted from the first element of the divided range
  double rate_scale = 1;                              // factor of the learning rate; 0: elements and state never change
  std::optional<double> weight_decay = std::nullopt;  // replaces the optimizer's, if set
  // If set, the optimizer does not train the elements. Each update moves them by this share of the way to the mean of
  // what the records report (NamedShape::own_rate in layout.h).
  std::optional<double> own_rate = std::nullopt;
  bool operator==(const UpdatePart&) const = default;
};

// Returns the parts of `range`, which together make up all of it, in order. Neighbouring tensors with the same settings
// are one part. `groups` are training.groups; the first group that matches a tensor counts. A tensor with a rate of its
// own takes no setting from its group, except that a frozen group freezes it, too. Throws Error with Blame::bug unless
// `range` begins and ends between rows of tensors.
std::vector<UpdatePart> update_parts(const std::vector<TensorGroup>& groups, const Layout& layout, Range range);

}  // namespace carrack::train
