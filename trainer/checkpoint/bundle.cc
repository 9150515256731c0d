#include "trainer/checkpoint/bundle.h"

#include <algorithm>
#include <cstdio>
#include <utility>

#include "trainer/checkpoint/entry.h"
#include "trainer/checkpoint/slice_key.h"
#include "trainer/checkpoint/table.h"

namespace carrack::checkpoint {
namespace {

// Keys of slices begin with a zero byte, unlike any tensor's name.
bool is_slice_key(std::string_view key) {
  return key.front() == '\x00';
}

std::string printable(std::string_view name) {
  std::string text(name.substr(0, 200));
  std::replace_if(
      text.begin(), text.end(), [](char one) { return one < ' ' || one > '~'; }, '?');
  return text;
}

// Returns the extents as the index stores them: whole_dimension for each extent that covers its dimension.
std::vector<Extent> stored_extents(const std::vector<Extent>& extents, const Shape& shape) {
  std::vector<Extent> stored = extents;
  const std::vector<Extent> all = whole(shape);
  for (std::size_t i = 0; i < stored.size(); ++i) {
    if (stored[i] == all[i]) stored[i] = whole_dimension;
  }
  return stored;
}

Shape shape_of(std::span<const Extent> extents) {
  Shape shape;
  for (const Extent extent : extents) shape.push_back(extent.length);
  return shape;
}

BundleEntry entry_of(const Part& part, DType dtype) {
  BundleEntry entry;
  entry.dtype = dtype;
  entry.shape = shape_of(part.extents);
  entry.shard = part.shard;
  entry.offset = part.offset;
  entry.size = part.size;
  entry.crc32c = part.crc32c;
  return entry;
}

class IndexDecoder {
 public:
  explicit IndexDecoder(const Table& table) : table_(table) {}

  Decoded<Bundle> bundle() {
    if (table_.empty() || !table_.begin()->first.empty()) return Corrupt{"the index has no header"};
    Decoded<std::uint32_t> shards = decode_header(table_.begin()->second);
    if (const auto* corrupt = std::get_if<Corrupt>(&shards)) return Corrupt{"the index " + corrupt->text};
    bundle_.shards = std::get<std::uint32_t>(shards);
    std::size_t slices = 0;
    for (auto at = std::next(table_.begin()); at != table_.end(); ++at) {
      if (is_slice_key(at->first)) {
        ++slices;
      } else if (const auto problem = add(at->first, at->second)) {
        return Corrupt{"tensor " + printable(at->first) + " of the index " + *problem};
      }
    }
    if (slices != slices_used_) return Corrupt{"the index holds slices that no tensor names"};
    return std::move(bundle_);
  }

 private:
  // Adds the tensor whose entry is `bytes`. Returns what is wrong with it; nullopt if it was added.
  std::optional<std::string> add(const std::string& name, std::string_view bytes) {
    const std::optional<BundleEntry> entry = decode_entry(bytes);
    if (!entry) return "has an entry that cannot be read";
    Tensor tensor{entry->dtype, entry->shape, {}};
    if (entry->slices.empty()) {
      if (auto problem = add_part(tensor, *entry, whole(entry->shape))) return problem;
    }
    for (const std::vector<Extent>& slice : entry->slices) {
      if (auto problem = add_slice(tensor, name, slice)) return problem;
    }
    std::sort(tensor.parts.begin(), tensor.parts.end(),
              [](const Part& one, const Part& other) { return one.extents < other.extents; });
    if (auto problem = problem_in(tensor)) return problem;
    bundle_.tensors.emplace_hint(bundle_.tensors.end(), name, std::move(tensor));
    return std::nullopt;
  }

  std::optional<std::string> add_slice(Tensor& tensor, const std::string& name, const std::vector<Extent>& slice) {
    const auto found = table_.find(slice_key(name, slice));
    if (found == table_.end()) return "names a slice that the index does not hold";
    ++slices_used_;
    const std::optional<BundleEntry> entry = decode_entry(found->second);
    if (!entry || entry->dtype != tensor.dtype || !entry->slices.empty()) return "has a slice that cannot be read";
    if (slice.size() != tensor.shape.size()) return "has a slice outside its shape " + text_of(tensor.shape);
    std::vector<Extent> extents = slice;
    for (std::size_t i = 0; i < slice.size(); ++i) {
      if (slice[i] == whole_dimension) extents[i].length = tensor.shape[i];
    }
    if (entry->shape != shape_of(extents)) return "has a slice of another shape than it names";
    return add_part(tensor, *entry, std::move(extents));
  }

  std::optional<std::string> add_part(Tensor& tensor, const BundleEntry& entry, std::vector<Extent> extents) {
    if (entry.shard >= bundle_.shards) return "lies in a shard that does not exist";
    tensor.parts.push_back(
        {std::move(extents), static_cast<std::uint32_t>(entry.shard), entry.offset, entry.size, entry.crc32c});
    return std::nullopt;
  }

  const Table& table_;
  Bundle bundle_;
  std::size_t slices_used_ = 0;
};

}  // namespace

std::string index_name(std::string_view prefix) {
  return std::string(prefix) + ".index";
}

std::string shard_name(std::string_view prefix, std::uint32_t shard, std::uint32_t shards) {
  char numbers[40];
  std::snprintf(numbers, sizeof numbers, ".data-%05u-of-%05u", shard, shards);
  return std::string(prefix) + numbers;
}

std::string encode_index(const Bundle& bundle) {
  Table table{{"", encode_header(bundle.shards)}};
  for (const auto& [name, tensor] : bundle.tensors) {
    if (tensor.parts.size() == 1 && is_whole(tensor.parts.front(), tensor.shape)) {
      table[name] = encode_entry(entry_of(tensor.parts.front(), tensor.dtype));
      continue;
    }
    BundleEntry entry;
    entry.dtype = tensor.dtype;
    entry.shape = tensor.shape;
    for (const Part& part : tensor.parts) {
      entry.slices.push_back(stored_extents(part.extents, tensor.shape));
      table[slice_key(name, entry.slices.back())] = encode_entry(entry_of(part, tensor.dtype));
    }
    table[name] = encode_entry(entry);
  }
  return encode_table(table);
}

Decoded<Bundle> decode_index(std::string_view file) {
  Decoded<Table> table = decode_table(file);
  if (auto* corrupt = std::get_if<Corrupt>(&table)) return std::move(*corrupt);
  return IndexDecoder(std::get<Table>(table)).bundle();
}

}  // namespace carrack::checkpoint
