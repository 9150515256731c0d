// Reads rows of tensors from the shards of a bundle of Carrack or TensorFlow, no matter how tensors are divided into
// shards and slices. Checks every length and checksum. Therefore each slice that has some of the rows is read
// completely, in pieces of bounded size; a writer makes restores of other ranges cheap by writing its rows in several
// runs.
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

// Reads a file from `offset` on, and returns the number of bytes read, which is less than into.size() only at the end
// of the file. It is called on the thread that calls read_rows() or read_pieces(), and these pass on its exceptions.
using ReadAt = std::function<std::size_t(const std::string& file, std::uint64_t offset, std::span<std::byte> into)>;

struct StoredBundle {
  std::string prefix;  // begins the names of the shards
  Bundle bundle;
  ReadAt read;
};

// Reads `rows` of tensor `name`. Returns nullopt if that succeeded. Otherwise, also if there are no such rows, returns
// why not, and the content of `into` is undefined. Throws Error with Blame::bug if `into` does not have the size of the
// rows.
std::optional<Corrupt> read_rows(const StoredBundle& from, const std::string& name, Rows rows,
                                 std::span<std::byte> into);

// Called with consecutive elements of a tensor in row-major order, never with a part of an element. `at` is the offset
// of the first byte within the whole tensor.
using TakeBytes = std::function<void(std::span<const std::byte> bytes, std::uint64_t at)>;

// Passes each byte of `rows` to `take` once, for callers that do not need all of them in memory. Bytes of other rows
// are passed as well, and a slice's checksum is checked only after its last byte. If this returns Corrupt, discard what
// was passed.
std::optional<Corrupt> read_pieces(const StoredBundle& from, const std::string& name, Rows rows, const TakeBytes& take);

}  // namespace carrack::checkpoint
