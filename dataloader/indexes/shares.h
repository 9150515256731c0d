// Which member of a job builds which indexes first. Members need not communicate: each one knows how many they are and
// begins with a share of its own. Pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace carrack::data {

struct Share {
  std::size_t member = 0;  // from 0; one that is not below `members` has an empty share
  std::size_t members = 1;
};

// The files of a member's share, by their index in `sizes`: consecutive ones, with about the same bytes for each
// member.
std::vector<std::size_t> own_share(std::span<const std::uint64_t> sizes, Share share);

// All files in an order that differs from member to member, so that not all begin with the same missing file.
std::vector<std::size_t> helping_order(std::size_t files, Share share);

}  // namespace carrack::data
