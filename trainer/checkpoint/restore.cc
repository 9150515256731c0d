#include "trainer/checkpoint/restore.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "dataloader/crc32c.h"
#include "trainer/error.h"

namespace carrack::checkpoint {
namespace {

constexpr std::size_t piece_bytes = std::size_t{8} * 1024 * 1024;

// Maps the bytes of a part to the whole tensor, in which they are runs of run_size() bytes at different offsets.
class Placement {
 public:
  Placement(const Part& part, const Tensor& tensor) : part_(part), steps_(part.extents.size()) {
    std::uint64_t step = *element_size(tensor.dtype);
    run_size_ = step;
    for (std::size_t i = tensor.shape.size(); i-- > 0;) {
      steps_[i] = step;
      const auto size = static_cast<std::uint64_t>(tensor.shape[i]);
      if (run_size_ == step) {  // all dimensions after this one are whole
        run_size_ *= static_cast<std::uint64_t>(part.extents[i].length);
        run_dimension_ = i;
      }
      step *= size;
    }
  }

  std::uint64_t run_size() const { return run_size_; }

  // The offset in the whole tensor of run number `run` of the part.
  std::uint64_t run_begin(std::uint64_t run) const {
    std::uint64_t at = 0;
    for (std::size_t i = part_.extents.size(); i-- > 0;) {
      auto index = static_cast<std::uint64_t>(part_.extents[i].start);
      if (i < run_dimension_) {
        const auto length = static_cast<std::uint64_t>(part_.extents[i].length);
        index += run % length;
        run /= length;
      }
      at += index * steps_[i];
    }
    return at;
  }

 private:
  const Part& part_;
  std::vector<std::uint64_t> steps_;  // number of bytes from one index of a dimension to the next
  std::uint64_t run_size_ = 0;
  std::size_t run_dimension_ = 0;
};

// The requested rows, as a range of bytes of the whole tensor.
struct RequestedRows {
  std::uint64_t begin;
  std::span<std::byte> into;

  std::uint64_t end() const { return begin + into.size(); }

  void copy(std::span<const std::byte> bytes, std::uint64_t at) const {
    const std::uint64_t from = std::max(at, begin);
    const std::uint64_t to = std::min(at + bytes.size(), end());
    if (from < to) std::memcpy(into.data() + (from - begin), bytes.data() + (from - at), to - from);
  }
};

// Passes `bytes`, which begin at offset `at` of the part, to `take`: run by run, each with its offset in the tensor.
void spread(std::span<const std::byte> bytes, std::uint64_t at, const Placement& placement, const TakeBytes& take) {
  while (!bytes.empty()) {
    const std::uint64_t within = at % placement.run_size();
    const std::size_t size = std::min<std::uint64_t>(bytes.size(), placement.run_size() - within);
    take(bytes.first(size), placement.run_begin(at / placement.run_size()) + within);
    bytes = bytes.subspan(size);
    at += size;
  }
}

std::optional<Corrupt> read_part(const StoredBundle& from, const Tensor& tensor, const Part& part,
                                 const TakeBytes& take) {
  const std::string file = shard_name(from.prefix, part.shard, from.bundle.shards);
  const Placement placement(part, tensor);
  std::vector<std::byte> piece(std::min<std::uint64_t>(part.size, piece_bytes));
  std::uint32_t crc = 0;
  for (std::uint64_t at = 0; at < part.size; at += piece.size()) {
    piece.resize(std::min<std::uint64_t>(part.size - at, piece_bytes));
    if (from.read(file, part.offset + at, piece) != piece.size()) {
      return Corrupt{file + ": ends before byte " + std::to_string(part.offset + part.size) +
                     ", which the index names"};
    }
    crc = data::crc32c(piece, crc);
    spread(piece, at, placement, take);
  }
  if (crc == part.crc32c) return std::nullopt;
  return Corrupt{file + ": bytes [" + std::to_string(part.offset) + ", " + std::to_string(part.offset + part.size) +
                 ") have the CRC-32C " + data::crc32c_hex(crc) + ", the index says " + data::crc32c_hex(part.crc32c)};
}

bool has_some(const Part& part, Rows rows) {
  if (part.extents.empty()) return rows.count > 0;
  const Extent held = part.extents.front();
  return held.start < rows.begin + rows.count && rows.begin < held.start + held.length;
}

// Returns why these rows cannot be read; nullopt if they can.
std::optional<Corrupt> problem_in_request(const StoredBundle& from, const std::string& name, Rows rows) {
  const auto found = from.bundle.tensors.find(name);
  if (found == from.bundle.tensors.end()) return Corrupt{from.prefix + ": holds no tensor " + name};
  const Tensor& tensor = found->second;
  if (!element_size(tensor.dtype)) {
    return Corrupt{from.prefix + ": tensor " + name + " holds " + name_of(tensor.dtype) + "s, which are not numbers"};
  }
  const std::int64_t held = row_count(tensor.shape);
  if (rows.begin < 0 || rows.count < 0 || rows.begin > held || rows.count > held - rows.begin) {
    return Corrupt{from.prefix + ": tensor " + name + " has " + std::to_string(held) + " rows, not " +
                   std::to_string(rows.count) + " from " + std::to_string(rows.begin)};
  }
  return std::nullopt;
}

std::optional<Corrupt> read_parts(const StoredBundle& from, const Tensor& tensor, Rows rows, const TakeBytes& take) {
  for (const Part& part : tensor.parts) {
    if (!has_some(part, rows)) continue;
    if (auto corrupt = read_part(from, tensor, part, take)) return corrupt;
  }
  return std::nullopt;
}

}  // namespace

std::optional<Corrupt> read_rows(const StoredBundle& from, const std::string& name, Rows rows,
                                 std::span<std::byte> into) {
  if (auto corrupt = problem_in_request(from, name, rows)) return corrupt;
  const Tensor& tensor = from.bundle.tensors.at(name);
  const std::uint64_t row = row_size(tensor.dtype, tensor.shape);
  if (into.size() != static_cast<std::uint64_t>(rows.count) * row) {
    throw train::Error(train::Blame::bug, "checkpoint: " + std::to_string(into.size()) + " bytes of room for " +
                                              std::to_string(rows.count) + " rows of " + name);
  }
  const RequestedRows requested{static_cast<std::uint64_t>(rows.begin) * row, into};
  return read_parts(from, tensor, rows,
                    [&](std::span<const std::byte> bytes, std::uint64_t at) { requested.copy(bytes, at); });
}

std::optional<Corrupt> read_pieces(const StoredBundle& from, const std::string& name, Rows rows,
                                   const TakeBytes& take) {
  if (auto corrupt = problem_in_request(from, name, rows)) return corrupt;
  return read_parts(from, from.bundle.tensors.at(name), rows, take);
}

}  // namespace carrack::checkpoint
