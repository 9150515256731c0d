// Writing a bundle by many: each writer streams the rows that it holds into a shard of its own and reports what lies
// where; the coordinator merges the reports into the index. Nobody gathers tensors.
// A tensor may come in any number of runs of rows, from one shard or several.
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

// A run of rows of a tensor; a scalar has one row.
struct Rows {
  std::int64_t begin = 0;
  std::int64_t count = 0;
  bool operator==(const Rows&) const = default;
};

// Rows of `shape`, and the bytes of one.
std::int64_t row_count(const Shape& shape);
std::uint64_t row_size(DType dtype, const Shape& shape);

struct ShardEntry {
  std::string name;
  DType dtype = DType::float32;
  Shape shape;  // Of the whole tensor.
  Rows rows;
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
  std::uint32_t crc32c = 0;
  bool operator==(const ShardEntry&) const = default;
};

// All of a shard: entries lie one after the other, without gaps.
struct ShardReport {
  std::vector<ShardEntry> entries;
  std::uint64_t size = 0;
  std::uint32_t crc32c = 0;
  bool operator==(const ShardReport&) const = default;
};

class ShardWriter {
 public:
  using Sink = std::function<void(std::span<const std::byte>)>;

  // The sink is given the shard's bytes in order, as they come.
  explicit ShardWriter(Sink sink) : sink_(std::move(sink)) {}

  // Throws Error{bug} when `bytes` are not what those rows need.
  void add(const std::string& name, DType dtype, const Shape& shape, Rows rows, std::span<const std::byte> bytes);

  const ShardReport& report() const { return report_; }

 private:
  Sink sink_;
  ShardReport report_;
};

// `reports[i]` is of shard i. A report that cannot be true, a row nowhere or twice, types or shapes that differ, and
// slices of a type that TensorFlow cannot read in slices are Corrupt: reports come over the network.
Decoded<Bundle> merge(std::span<const ShardReport> reports);

}  // namespace carrack::checkpoint
