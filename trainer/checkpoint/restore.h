// Reads rows of tensors from the shards of a bundle, Carrack's or TensorFlow's, in whatever shards and slices they are.
// Every length and checksum is checked. For that, each slice with some of the rows is read whole, in pieces of bounded
// size; writers that want cheap restores of other ranges write their rows in several runs.
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

// Reads a file from `offset` on, and returns the number of bytes read; fewer than `into` has only at the end of the
// file. read_rows() does not catch what it throws.
using ReadAt = std::function<std::size_t(const std::string& file, std::uint64_t offset, std::span<std::byte> into)>;

struct StoredBundle {
  std::string prefix;
  Bundle bundle;
  ReadAt read;
};

// Reads `rows` of tensor `name`. Throws a bug if `into` does not have their size. If it returns Corrupt, the content of
// `into` is undefined.
std::optional<Corrupt> read_rows(const StoredBundle& from, const std::string& name, Rows rows,
                                 std::span<std::byte> into);

// Gets whole elements of a tensor that follow each other in row-major order; the first byte has the offset `at` in the
// whole tensor.
using TakeBytes = std::function<void(std::span<const std::byte> bytes, std::uint64_t at)>;

// Gives `take` each byte of `rows` once, for readers that do not need them as they are stored. Bytes of other rows come
// between them, and a part's checksum is checked behind its last byte: if this returns Corrupt, what was taken is
// of no use.
std::optional<Corrupt> read_pieces(const StoredBundle& from, const std::string& name, Rows rows, const TakeBytes& take);

}  // namespace carrack::checkpoint
