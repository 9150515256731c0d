#include "trainer/checkpoint/shard.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "dataloader/crc32c.h"
#include "trainer/error.h"

namespace carrack::checkpoint {
namespace {

constexpr std::size_t longest_name = 1000;

// ShardWriter computes the checksum of a piece and then passes the piece to the sink. Pieces are small enough that the
// sink still finds each in the processor's cache.
constexpr std::size_t piece_bytes = std::size_t{256} << 10;

// True if the name has no blanks and only printable ASCII, so that it can be a word in lines of the digest and in
// messages.
bool is_plain(const std::string& name) {
  return !name.empty() && name.size() <= longest_name &&
         std::all_of(name.begin(), name.end(), [](char one) { return one > ' ' && one <= '~'; });
}

std::vector<Extent> extents_of(const Shape& shape, Rows rows) {
  std::vector<Extent> extents = whole(shape);
  if (!extents.empty()) extents.front() = {.start = rows.begin, .length = rows.count};
  return extents;
}

std::optional<std::string> problem_in(const ShardReport& report) {
  std::uint64_t size = 0;
  std::uint32_t crc = 0;
  for (const ShardEntry& entry : report.entries) {
    if (!is_plain(entry.name)) return "names a tensor with characters that are not printable ASCII, or none";
    if (entry.offset != size) return "has a gap before tensor " + entry.name;
    if (entry.shape.empty() && entry.rows != Rows{0, 1}) return "has a scalar, " + entry.name + ", in rows";
    if (entry.size > UINT64_MAX - size) return "has impossible sizes";
    size += entry.size;
    crc = data::crc32c_combine(crc, entry.crc32c, entry.size);
  }
  if (size != report.size || crc != report.crc32c) return "has a size or checksum that its entries do not add up to";
  return std::nullopt;
}

std::optional<std::string> add(Bundle& bundle, const ShardEntry& entry, std::uint32_t shard) {
  const auto [at, first] = bundle.tensors.try_emplace(entry.name, Tensor{entry.dtype, entry.shape, {}});
  Tensor& tensor = at->second;
  if (tensor.dtype != entry.dtype || tensor.shape != entry.shape) {
    return "has tensor " + entry.name + " as " + name_of(entry.dtype) + text_of(entry.shape) + ", another shard as " +
           name_of(tensor.dtype) + text_of(tensor.shape);
  }
  const Part part{extents_of(entry.shape, entry.rows), shard, entry.offset, entry.size, entry.crc32c};
  // A shard may have no rows of a tensor; then it needs no part. But a tensor that has no rows at all needs one empty
  // part.
  const bool needed = entry.rows.count != 0 || (row_count(entry.shape) == 0 && tensor.parts.empty());
  if (needed) tensor.parts.push_back(part);
  return std::nullopt;
}

}  // namespace

std::int64_t row_count(const Shape& shape) {
  return shape.empty() ? 1 : shape.front();
}

std::uint64_t row_size(DType dtype, const Shape& shape) {
  const std::optional<std::uint64_t> bytes = element_size(dtype);
  const std::optional<std::uint64_t> elements =
      element_count(std::span(shape).subspan(std::min<std::size_t>(1, shape.size())));
  if (!bytes || !elements)
    throw train::Error(train::Blame::bug, "no row of " + name_of(dtype) + text_of(shape) + " has a size");
  return *bytes * *elements;
}

void ShardWriter::add(const std::string& name, DType dtype, const Shape& shape, Rows rows,
                      std::span<const std::byte> bytes) {
  const bool inside = rows.begin >= 0 && rows.count >= 0 && rows.begin <= row_count(shape) &&
                      rows.count <= row_count(shape) - rows.begin;
  if (!inside || bytes.size() != static_cast<std::uint64_t>(rows.count) * row_size(dtype, shape)) {
    throw train::Error(train::Blame::bug, "checkpoint: " + std::to_string(bytes.size()) + " bytes for " +
                                              std::to_string(rows.count) + " rows from " + std::to_string(rows.begin) +
                                              " of " + name + " " + name_of(dtype) + text_of(shape));
  }
  ShardEntry entry{name, dtype, shape, rows, report_.size, bytes.size()};
  for (std::span<const std::byte> rest = bytes; !rest.empty();) {
    const auto piece = rest.first(std::min(rest.size(), piece_bytes));
    entry.crc32c = data::crc32c(piece, entry.crc32c);
    sink_(piece);
    rest = rest.subspan(piece.size());
  }
  report_.size += bytes.size();
  report_.crc32c = data::crc32c_combine(report_.crc32c, entry.crc32c, bytes.size());
  report_.entries.push_back(std::move(entry));
}

Decoded<Bundle> merge(std::span<const ShardReport> reports) {
  if (reports.empty() || reports.size() > shards_max) {
    return Corrupt{"a bundle has 1 to " + std::to_string(shards_max) + " shards, not " +
                   std::to_string(reports.size())};
  }
  Bundle bundle;
  bundle.shards = static_cast<std::uint32_t>(reports.size());
  for (std::uint32_t shard = 0; shard < bundle.shards; ++shard) {
    std::optional<std::string> problem = problem_in(reports[shard]);
    for (const ShardEntry& entry : reports[shard].entries) {
      if (!problem) problem = add(bundle, entry, shard);
    }
    if (problem) return Corrupt{"the report of shard " + std::to_string(shard) + " " + *problem};
  }
  for (auto& [name, tensor] : bundle.tensors) {
    std::sort(tensor.parts.begin(), tensor.parts.end(),
              [](const Part& one, const Part& other) { return one.extents < other.extents; });
    std::optional<std::string> problem = problem_in(tensor);
    if (!problem && tensor.parts.size() > 1 && !readable_in_slices(tensor.dtype)) {
      problem = "is in slices, and TensorFlow reads " + name_of(tensor.dtype) + " only whole; keep it in one shard";
    }
    if (problem) return Corrupt{"tensor " + name + " of the shards " + *problem};
  }
  return bundle;
}

}  // namespace carrack::checkpoint
