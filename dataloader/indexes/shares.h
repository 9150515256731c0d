// Divides the work of indexing the files of a data set, or of writing the files of a snapshot, among the members
// (processes) of a job. Members do not communicate: each computes the same division from the number of members, and
// begins with its own share. After that each helps with all files that are still missing. Pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace carrack::data {

// Which of the members this one is.
struct Share {
  std::size_t member = 0;   // number of this member, from 0; if it is not below `members`, the share is empty
  std::size_t members = 1;  // number of members with a share; not 0
};

// Returns the numbers of the files in a member's share, which may be empty. `sizes` are the sizes of all files in any
// unit, such as bytes for indexes and rows for a snapshot; a number is an index into it. A share has consecutive files,
// with about the same total size for each member; but empty files at the end belong to member 0. Each file is in the
// share of exactly one member.
std::vector<std::size_t> own_share(std::span<const std::uint64_t> sizes, Share share);

// Returns the numbers of all files, from 0 to `files` - 1, in an order that is pseudo-random and differs between
// members, so that they do not all begin with the same missing file. It is the same at each call.
std::vector<std::size_t> helping_order(std::size_t files, Share share);

}  // namespace carrack::data
