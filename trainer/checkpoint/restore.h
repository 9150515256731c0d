// Reading rows of tensors back from a bundle's shards, ours or TensorFlow's, whatever shards and slices they lie in.
// Every length and checksum is checked: for that each slice that has some of the rows is read whole, in pieces of
// bounded size, so writers that want cheap restores onto other ranges add their rows in several runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "trainer/checkpoint/bundle.h"
#include "trainer/checkpoint/shard.h"

namespace carrack::checkpoint {

// Fills `into` from `offset` of a file on, and says how many bytes there were: fewer only at the file's end.
// What it throws passes through.
using ReadAt = std::function<std::size_t(const std::string& file, std::uint64_t offset, std::span<std::byte> into)>;

struct StoredBundle {
  std::string prefix;
  Bundle bundle;
  ReadAt read;
};

// Fills `into`, which has the size of those rows (else it throws Error{bug}). With a Corrupt the content of `into` is
// of no meaning.
std::optional<Corrupt> read_rows(const StoredBundle& from, const std::string& name, Rows rows,
                                 std::span<std::byte> into);

}  // namespace carrack::checkpoint
