// Tensors that tests write and read, and the files they write them to, in memory.
#pragma once

#include <algorithm>
#include <cstring>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "trainer/checkpoint/bundle.h"
#include "trainer/checkpoint/restore.h"
#include "trainer/checkpoint/shard.h"

namespace carrack::checkpoint::samples {

struct Sample {
  std::string name;
  DType dtype = DType::float32;
  Shape shape;
};

// Types that are sliced and types that are kept whole, and every shape that is special.
inline std::vector<Sample> samples() {
  return {{"all/float32", DType::float32, {7, 3}},
          {"all/float64", DType::float64, {7, 3}},
          {"all/int32", DType::int32, {7, 3}},
          {"all/uint8", DType::uint8, {7, 3}},
          {"all/int16", DType::int16, {7, 3}},
          {"all/int8", DType::int8, {7, 3}},
          {"all/int64", DType::int64, {7, 3}},
          {"all/uint16", DType::uint16, {7, 3}},
          {"all/uint32", DType::uint32, {7, 3}},
          {"all/uint64", DType::uint64, {7, 3}},
          {"deep", DType::int64, {5, 2, 3, 2}},
          {"large", DType::float32, {70001}},
          {"no_rows", DType::float32, {0, 3}},
          {"one_row", DType::float32, {1, 4}},
          {"scalar", DType::int64, {}}};
}

inline std::uint64_t size_of(const Sample& sample) {
  return row_size(sample.dtype, sample.shape) * static_cast<std::uint64_t>(row_count(sample.shape));
}

template <class Number>
void fill(std::span<std::byte> bytes) {
  for (std::size_t i = 0; i < bytes.size() / sizeof(Number); ++i) {
    const auto number = static_cast<Number>(i);
    std::memcpy(bytes.data() + i * sizeof(Number), &number, sizeof(Number));
  }
}

// Elements are 0, 1, 2, ... in row-major order.
inline std::vector<std::byte> content(const Sample& sample) {
  std::vector<std::byte> bytes(size_of(sample));
  switch (sample.dtype) {
    case DType::float32:
      fill<float>(bytes);
      break;
    case DType::float64:
      fill<double>(bytes);
      break;
    case DType::int64:
    case DType::uint64:
      fill<std::uint64_t>(bytes);
      break;
    case DType::int32:
    case DType::uint32:
      fill<std::uint32_t>(bytes);
      break;
    case DType::int16:
    case DType::uint16:
      fill<std::uint16_t>(bytes);
      break;
    default:
      fill<std::uint8_t>(bytes);
  }
  return bytes;
}

using Files = std::map<std::string, std::string>;

inline std::string_view text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

inline ReadAt reader(const Files& files) {
  return [&files](const std::string& name, std::uint64_t offset, std::span<std::byte> into) -> std::size_t {
    const auto found = files.find(name);
    if (found == files.end() || offset >= found->second.size()) return 0;
    const std::string_view bytes = std::string_view(found->second).substr(offset, into.size());
    std::memcpy(into.data(), bytes.data(), bytes.size());
    return bytes.size();
  };
}

// The rows of `all` that shard `shard` of `shards` holds.
inline Rows rows_of(std::int64_t all, std::uint32_t shard, std::uint32_t shards) {
  const std::int64_t begin = all * shard / shards;
  return {begin, all * (shard + 1) / shards - begin};
}

inline Rows held_rows(const Sample& sample, std::uint32_t shard, std::uint32_t shards) {
  const std::int64_t all = row_count(sample.shape);
  if (readable_in_slices(sample.dtype)) return rows_of(all, shard, shards);
  return {0, shard == 0 ? all : 0};
}

// Writes the samples' shards to `files` and gives their reports.
inline std::vector<ShardReport> write_shards(Files& files, const std::vector<Sample>& given, const std::string& prefix,
                                             std::uint32_t shards) {
  std::vector<ShardReport> reports;
  for (std::uint32_t shard = 0; shard < shards; ++shard) {
    std::string& file = files[shard_name(prefix, shard, shards)];
    ShardWriter writer([&](std::span<const std::byte> bytes) { file += text(bytes); });
    for (const Sample& sample : given) {
      const Rows rows = held_rows(sample, shard, shards);
      if (sample.shape.empty() && rows.count == 0) continue;
      const std::vector<std::byte> bytes = content(sample);
      const std::uint64_t row = row_size(sample.dtype, sample.shape);
      const auto begin = static_cast<std::size_t>(rows.begin) * row;
      writer.add(sample.name, sample.dtype, sample.shape, rows,
                 std::span(bytes).subspan(begin, static_cast<std::size_t>(rows.count) * row));
    }
    reports.push_back(writer.report());
  }
  return reports;
}

}  // namespace carrack::checkpoint::samples
