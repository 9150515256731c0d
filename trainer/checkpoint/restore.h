// Reads rows of tensors from a checkpoint of Carrack or TensorFlow, no matter how the tensors are divided into shards
// and slices. Parameter servers load their ranges by it; `carrack predict` and others read whole tensors. It checks
// every length and checksum, so it reads each slice that has some of the rows completely, in pieces of bounded size.
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

// Reads the file of this name from `offset` on into `into`, and returns the number of bytes read, which is less than
// into.size() only at the end of the file. It is called on the thread that calls read_rows() or read_pieces(), and
// these pass on its exceptions.
using ReadAt = std::function<std::size_t(const std::string& file, std::uint64_t offset, std::span<std::byte> into)>;

// A checkpoint from which tensors can be read. CheckpointFolder::open() returns one.
struct StoredBundle {
  std::string prefix;  // begins the names of the shards
  Bundle bundle;
  ReadAt read;
};

// Reads `rows` of tensor `name` into `into`, row-major and little-endian. Returns nullopt on success. Otherwise, also
// if there is no such tensor or row, returns why not, and the content of `into` is undefined. Throws train::Error with
// Blame::bug if `into` does not have the size of the rows.
std::optional<Corrupt> read_rows(const StoredBundle& from, const std::string& name, Rows rows,
                                 std::span<std::byte> into);

// Called with consecutive elements of a tensor in row-major order, never with a part of an element. `at` is the offset
// of the first byte within the whole tensor.
using TakeBytes = std::function<void(std::span<const std::byte> bytes, std::uint64_t at)>;

// Like read_rows(), for callers that do not need all rows in memory: passes each byte of `rows` to `take` once. It
// passes bytes of other rows as well, so `take` must look at `at`. A slice's checksum is checked only after its last
// byte: if this returns Corrupt, discard what was passed.
std::optional<Corrupt> read_pieces(const StoredBundle& from, const std::string& name, Rows rows, const TakeBytes& take);

}  // namespace carrack::checkpoint
