#include "trainer/optimizer/update_parts.h"

namespace carrack::train {
namespace {

// Returns the part for a slice of a tensor. Parts count from `begin`, the first element of the server's range.
UpdatePart part_of(const Slice& slice, const TensorGroup* group, std::int64_t begin) {
  UpdatePart part{.range = {slice.offset - begin, slice.offset - begin + slice.size}};
  if (slice.own_rate == 0.0 || (group != nullptr && is_frozen(*group))) {
    part.rate_scale = 0;
  } else if (slice.own_rate) {
    part.own_rate = slice.own_rate;
  } else if (group != nullptr) {
    part.rate_scale = group->rate_scale;
    part.weight_decay = group->weight_decay;
  }
  return part;
}

bool has_settings_of(const UpdatePart& left, const UpdatePart& right) {
  return left.rate_scale == right.rate_scale && left.weight_decay == right.weight_decay &&
         left.own_rate == right.own_rate;
}

}  // namespace

std::vector<UpdatePart> update_parts(const std::vector<TensorGroup>& groups, const Layout& layout, Range range) {
  std::vector<UpdatePart> parts;
  for (const Slice& slice : slices(layout, range)) {
    const UpdatePart part = part_of(slice, group_of(groups, slice.name), range.begin);
    if (!parts.empty() && has_settings_of(parts.back(), part)) {
      parts.back().range.end = part.range.end;
    } else {
      parts.push_back(part);
    }
  }
  return parts;
}

}  // namespace carrack::train
