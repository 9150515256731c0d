// Which member of a job builds which indexes first. Nobody is asked and nothing is agreed on: each member knows how
// many they are and begins with another share. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace carrack::data {

struct Share {
  std::size_t member = 0;  // One that is not less than `members` has a share of nothing.
  std::size_t members = 1;
};

// The numbers of its files: a run of them with about as many bytes as any other member's.
std::vector<std::size_t> own_share(std::span<const std::uint64_t> sizes, Share share);

// All files in an order that each member has for itself, so that what is left over is not begun by all at once.
std::vector<std::size_t> helping_order(std::size_t files, Share share);

}  // namespace carrack::data
