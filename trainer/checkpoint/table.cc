#include "trainer/checkpoint/table.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "dataloader/crc32c.h"
#include "trainer/checkpoint/integers.h"

namespace carrack::checkpoint {
namespace {

constexpr std::size_t block_bytes = std::size_t{256} * 1024;
constexpr std::size_t restart_interval = 16;
constexpr std::size_t trailer_bytes = 5;
constexpr std::size_t handles_bytes = 40;
constexpr std::size_t footer_bytes = handles_bytes + 8;
constexpr std::uint64_t magic = 0xdb4775248b80fb57;
// The limit for the size of all keys together, as a multiple of the file's size. Keys are compressed by shared
// prefixes, so a damaged file could unpack to more than fits into memory. Keys of real bundles are a few times as large
// as the file.
constexpr std::size_t unpacking_max = 256;

struct Handle {
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
};

std::string encode(Handle handle) {
  std::string out;
  put_varint(out, handle.offset);
  put_varint(out, handle.size);
  return out;
}

std::uint32_t stored_crc(std::string_view bytes) {
  return data::masked_crc32c(std::as_bytes(std::span(bytes)));
}

class BlockWriter {
 public:
  void add(std::string_view key, std::string_view value) {
    std::size_t shared = 0;
    if (entries_ % restart_interval == 0) {
      restarts_.push_back(static_cast<std::uint32_t>(bytes_.size()));
    } else {
      const auto differ = std::mismatch(key.begin(), key.end(), last_key_.begin(), last_key_.end());
      shared = static_cast<std::size_t>(differ.first - key.begin());
    }
    put_varint(bytes_, shared);
    put_varint(bytes_, key.size() - shared);
    put_varint(bytes_, value.size());
    bytes_ += key.substr(shared);
    bytes_ += value;
    last_key_ = key;
    ++entries_;
  }

  // Appends the block and its trailer to `file`, and starts an empty block.
  Handle finish(std::string& file) {
    if (restarts_.empty()) restarts_.push_back(0);
    for (const std::uint32_t restart : restarts_) put_fixed32(bytes_, restart);
    put_fixed32(bytes_, static_cast<std::uint32_t>(restarts_.size()));
    const Handle handle{file.size(), bytes_.size()};
    bytes_.push_back(0);  // type of the block: not compressed
    put_fixed32(bytes_, stored_crc(bytes_));
    file += bytes_;
    *this = BlockWriter();
    return handle;
  }

  std::size_t size() const { return bytes_.size(); }
  bool empty() const { return entries_ == 0; }
  const std::string& last_key() const { return last_key_; }

 private:
  std::string bytes_;
  std::string last_key_;
  std::vector<std::uint32_t> restarts_;
  std::size_t entries_ = 0;
};

// Decodes a table. Blocks must be in the order of the file, so no byte is read twice.
class Decoder {
 public:
  explicit Decoder(std::string_view file) : file_(file) {}

  Decoded<Table> table() {
    if (file_.size() < footer_bytes) return corrupt("is shorter than a table's footer");
    Cursor footer(file_.substr(file_.size() - footer_bytes));
    Cursor handles(footer.take(handles_bytes));
    if (footer.fixed64() != magic) return corrupt("does not end with a table's magic number");
    handles.varint();  // the handle of the metadata block, which is empty in bundles
    handles.varint();
    const Handle index{handles.varint(), handles.varint()};
    if (handles.failed()) return corrupt("has a footer that cannot be read");
    const std::optional<std::string_view> index_block = block(index);
    if (!index_block) return corrupt(problem_);
    std::vector<Handle> blocks;
    const bool listed = each_entry(*index_block, [&](const std::string&, std::string_view value) {
      Cursor handle(value);
      blocks.push_back({handle.varint(), handle.varint()});
      return !handle.failed() || refuse("has an index entry that cannot be read");
    });
    if (!listed || !read_all(blocks)) return corrupt(problem_);
    return std::move(table_);
  }

 private:
  bool read_all(std::span<const Handle> blocks) {
    std::uint64_t read_to = 0;
    for (const Handle handle : blocks) {
      if (handle.offset < read_to) return refuse("has blocks that lie in one another");
      const std::optional<std::string_view> bytes = block(handle);
      if (!bytes) return false;
      read_to = handle.offset + handle.size + trailer_bytes;
      const bool read = each_entry(*bytes, [&](const std::string& key, std::string_view value) {
        if (!table_.empty() && key <= table_.rbegin()->first) return refuse("has keys that do not ascend");
        table_.emplace_hint(table_.end(), key, value);
        return true;
      });
      if (!read) return false;
    }
    return true;
  }

  // Returns the content of a block; nullopt, with problem_ set, if the block is damaged or compressed.
  std::optional<std::string_view> block(Handle at) {
    if (at.offset > file_.size() || at.size > file_.size() || at.offset + at.size + trailer_bytes > file_.size()) {
      refuse("has a block that ends after the file");
      return std::nullopt;
    }
    Cursor trailer(file_.substr(at.offset + at.size, trailer_bytes));
    const char type = trailer.take(1).front();
    if (trailer.fixed32() != stored_crc(file_.substr(at.offset, at.size + 1))) {
      refuse("has a block at " + std::to_string(at.offset) + " whose checksum differs");
      return std::nullopt;
    }
    if (type != 0) {
      refuse("has a compressed block; TensorFlow writes bundles without compression");
      return std::nullopt;
    }
    return file_.substr(at.offset, at.size);
  }

  // Calls `take` with the key and the value of each entry. Ends early and returns false if an entry cannot be read, or
  // if `take` returns false.
  template <class Take>
  bool each_entry(std::string_view block, const Take& take) {
    if (block.size() < 4) return refuse("has a block without restarts");
    const std::size_t restarts = Cursor(block.substr(block.size() - 4)).fixed32();
    if (restarts > (block.size() - 4) / 4) return refuse("has a block with more restarts than bytes");
    Cursor entries(block.substr(0, block.size() - 4 - 4 * restarts));
    std::string key;
    while (!entries.at_end()) {
      const std::uint64_t shared = entries.varint();
      const std::uint64_t added = entries.varint();
      const std::uint64_t value_size = entries.varint();
      const std::string_view rest = entries.take(added);
      const std::string_view value = entries.take(value_size);
      if (entries.failed() || shared > key.size()) return refuse("has a block entry that cannot be read");
      key.resize(shared);
      key += rest;
      unpacked_ += key.size();
      if (unpacked_ / unpacking_max > file_.size()) return refuse("has keys that unpack without end");
      if (!take(key, value)) return false;
    }
    return !entries.failed() || refuse("has a block entry that cannot be read");
  }

  bool refuse(std::string problem) {
    problem_ = std::move(problem);
    return false;
  }

  static Corrupt corrupt(const std::string& problem) { return {"the index " + problem}; }

  std::string_view file_;
  Table table_;
  std::size_t unpacked_ = 0;
  std::string problem_;
};

}  // namespace

std::string encode_table(const Table& table) {
  std::string file;
  BlockWriter block;
  BlockWriter index;
  const auto finish_block = [&] {
    const std::string last_key = block.last_key();
    index.add(last_key, encode(block.finish(file)));
  };
  for (const auto& [key, value] : table) {
    block.add(key, value);
    if (block.size() >= block_bytes) finish_block();
  }
  if (!block.empty()) finish_block();
  const Handle metadata = BlockWriter().finish(file);
  const Handle blocks = index.finish(file);
  std::string footer = encode(metadata) + encode(blocks);
  footer.resize(handles_bytes);
  put_fixed64(footer, magic);
  return file + footer;
}

Decoded<Table> decode_table(std::string_view file) {
  return Decoder(file).table();
}

}  // namespace carrack::checkpoint
