// Writes a checkpoint in TensorFlow's format (bundle.h) from several processes. Each parameter server writes its rows
// to a file of its own, its shard, with ShardWriter, and reports where the rows are. The coordinator calls merge() to
// turn the reports into the index. No process needs a whole tensor. The rows of a tensor may be added in any number of
// runs, in one shard or several.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "trainer/checkpoint/corrupt.h"
#include "trainer/checkpoint/tensor.h"

namespace carrack::checkpoint {

// The rows [begin, begin + count) of a tensor: a row is all elements with one index of the first dimension. A scalar
// has one row.
struct Rows {
  std::int64_t begin = 0;
  std::int64_t count = 0;
  bool operator==(const Rows&) const = default;
};

// Return the number of rows of `shape`, and the size of one row in bytes. row_size() throws train::Error with
// Blame::bug if elements of `dtype` have no fixed size, or if the shape is impossible.
std::int64_t row_count(const Shape& shape);
std::uint64_t row_size(DType dtype, const Shape& shape);

// One run of rows in a shard.
struct ShardEntry {
  std::string name;
  DType dtype = DType::float32;
  Shape shape;  // shape of the whole tensor
  Rows rows;
  std::uint64_t offset = 0;  // in bytes, within the shard
  std::uint64_t size = 0;    // in bytes
  std::uint32_t crc32c = 0;  // CRC-32C of these bytes, not masked
  bool operator==(const ShardEntry&) const = default;
};

// Describes a whole shard. The bytes of its entries follow each other without gaps.
struct ShardReport {
  std::vector<ShardEntry> entries;
  std::uint64_t size = 0;    // of the shard, in bytes
  std::uint32_t crc32c = 0;  // of the shard
  bool operator==(const ShardReport&) const = default;
};

// Writes one shard. Not thread-safe.
class ShardWriter {
 public:
  using Sink = std::function<void(std::span<const std::byte>)>;

  // add() passes the bytes of the shard to `sink`, in order and in small pieces, on the calling thread. Exceptions of
  // `sink` pass through; the writer cannot be used after that.
  explicit ShardWriter(Sink sink) : sink_(std::move(sink)) {}

  // Writes rows of a tensor. `shape` is that of the whole tensor. `bytes` are the rows in row-major order, and need not
  // outlive the call. Throws train::Error with Blame::bug if the rows are not in the shape, or `bytes` does not have
  // their size. Names must be printable ASCII without spaces, 1 to 1000 characters; only merge() checks that.
  void add(const std::string& name, DType dtype, const Shape& shape, Rows rows, std::span<const std::byte> bytes);

  // Describes what was added until now.
  const ShardReport& report() const { return report_; }

 private:
  Sink sink_;
  ShardReport report_;
};

// Returns the index of the checkpoint, to be written by encode_index() (bundle.h); `reports[i]` describes shard i.
// Reads no shard. Reports come over the network, so every fault in them makes the result Corrupt: reports that
// contradict themselves, missing or repeated rows, different types or shapes of one tensor, and a tensor in several
// runs whose type TensorFlow cannot read in slices.
Decoded<Bundle> merge(std::span<const ShardReport> reports);

}  // namespace carrack::checkpoint
