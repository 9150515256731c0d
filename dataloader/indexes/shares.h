// Which member of a job builds which indexes first. Members need not communicate: each one knows how many members there
// are, and begins with its own share. Pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace carrack::data {

struct Share {
  std::size_t member = 0;   // from 0; a member that is not below `members` has an empty share
  std::size_t members = 1;  // not 0
};

// Returns the files of a member's share, as indexes into `sizes`: consecutive files, with about the same bytes for each
// member. Each file is in the share of one member.
std::vector<std::size_t> own_share(std::span<const std::uint64_t> sizes, Share share);

// Returns all files in an order that differs between members, so that they do not all begin with the same missing file.
std::vector<std::size_t> helping_order(std::size_t files, Share share);

}  // namespace carrack::data
