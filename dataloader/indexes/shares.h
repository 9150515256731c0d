// Which member of a job builds which indexes first. Members need not communicate: each knows the number of members, and
// begins with its own share. Pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace carrack::data {

struct Share {
  std::size_t member = 0;   // number of this member, from 0; if it is not below `members`, the share is empty
  std::size_t members = 1;  // number of members with a share; not 0
};

// Returns the files of a member's share, as indexes into `sizes`, which are in bytes: consecutive files, with about the
// same number of bytes for each member. Each file is in the share of one member.
std::vector<std::size_t> own_share(std::span<const std::uint64_t> sizes, Share share);

// Returns all files, the numbers from 0 to `files` - 1, in a random order that differs between members, so that they do
// not all begin with the same missing file.
std::vector<std::size_t> helping_order(std::size_t files, Share share);

}  // namespace carrack::data
