#include "dataloader/storage/storage.h"

#include <algorithm>
#include <filesystem>

#include "dataloader/error.h"
#include "dataloader/storage/url.h"

namespace carrack::data {
namespace {

// Reads an object from front to back, one slice in each call.
class SliceReader : public ObjectReader {
 public:
  SliceReader(std::function<ReadResult(std::span<const Slice>)> read, std::uint64_t size)
      : read_(std::move(read)), size_(size) {}

  ReadResult read(std::span<std::byte> into) override {
    const Slice next{offset_, into.first(std::min<std::uint64_t>(into.size(), size_ - offset_))};
    const ReadResult result = next.into.empty() ? ReadResult::complete : read_({&next, 1});
    offset_ += next.into.size();
    return result == ReadResult::complete && next.into.size() < into.size() ? ReadResult::past_end : result;
  }

 private:
  const std::function<ReadResult(std::span<const Slice>)> read_;
  const std::uint64_t size_;
  std::uint64_t offset_ = 0;
};

}  // namespace

std::unique_ptr<ObjectReader> reader_by(std::function<ReadResult(std::span<const Slice>)> read, std::uint64_t size) {
  return std::make_unique<SliceReader>(std::move(read), size);
}

std::unique_ptr<ObjectReader> Storage::open(const std::string& url, const ObjectStat& stat) {
  return reader_by(
      [this, url, version = stat.version](std::span<const Slice> slices) { return read(url, slices, version); },
      stat.size);
}

void require_small(const std::string& url, std::uint64_t size) {
  if (size <= small_object_limit) return;
  throw Error(url + ": has " + std::to_string(size) + " bytes, and what is changed by compare-and-set at most " +
              std::to_string(small_object_limit) + "; write it as an object of its own");
}

bool is_folder(Storage& storage, const std::string& name) {
  const Url url = url_from(name);
  std::error_code unknown;
  return storage.is_remote() ? !storage.list(name + "/*").empty() : std::filesystem::is_directory(url.name, unknown);
}

std::string no_match_text(const Storage& storage, const std::string& pattern) {
  return (storage.is_remote() ? "no object matches " : "no file matches ") + pattern;
}

std::optional<Bytes> read_whole(Storage& storage, const std::string& url, const ReadLimit& limit) {
  constexpr int tries = 10;  // because another writer may replace the object again and again
  for (int i = 0; i < tries; ++i) {
    const std::optional<ObjectStat> found = storage.stat(url);
    if (!found) return std::nullopt;
    if (found->size > limit.bytes_max)
      throw Refused(url + ": has " + std::to_string(found->size) + " bytes" + limit.hint);
    Bytes bytes(found->size);
    const Slice slice{0, bytes};
    if (storage.read(url, {&slice, 1}, found->version) == ReadResult::complete) return bytes;
  }
  throw Error(url + ": changed " + std::to_string(tries) + " times while being read; let its writer end first");
}

}  // namespace carrack::data
