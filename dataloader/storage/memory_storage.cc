#include "dataloader/storage/memory_storage.h"

#include <algorithm>

#include "dataloader/error.h"
#include "dataloader/storage/url.h"

namespace carrack::data {
namespace {

const Version absent{};  // the version of an object that does not exist

void require_memory_url(const std::string& url) {
  if (url_from(url).scheme != "memory") throw Refused(url + ": is not an object in memory; write memory://NAME/NAME");
}

}  // namespace

class MemoryStorage::Writer : public ObjectWriter {
 public:
  Writer(MemoryStorage& storage, std::string url, CreateOptions options)
      : storage_(storage), url_(std::move(url)), options_(options) {}

  void write(std::span<const std::byte> bytes) override { bytes_.insert(bytes_.end(), bytes.begin(), bytes.end()); }
  std::optional<ObjectStat> commit() override {
    return storage_.store(url_, std::move(bytes_), options_.must_not_exist ? std::optional(absent) : std::nullopt);
  }

 private:
  MemoryStorage& storage_;
  const std::string url_;
  const CreateOptions options_;
  Bytes bytes_;
};

std::optional<ObjectStat> MemoryStorage::stat(const std::string& url) {
  const auto found = find(url);
  return found ? std::optional(ObjectStat{found->bytes->size(), found->version}) : std::nullopt;
}

std::vector<Listed> MemoryStorage::list(const std::string& pattern) {
  require_memory_url(pattern);
  const Url parsed_pattern = pattern_from(pattern);
  std::vector<Listed> found;
  const MutexLock lock(mutex_);
  for (const auto& [url, object] : objects_) {
    const Url parsed = url_from(url);
    if (parsed.prefix == parsed_pattern.prefix && matches(parsed_pattern.name, parsed.name)) {
      found.push_back({url, {object.bytes->size(), object.version}});
    }
  }
  return found;
}

ReadResult MemoryStorage::read(const std::string& url, std::span<const Slice> slices,
                               const std::optional<Version>& version) {
  const auto found = find(url);
  if (!found) return ReadResult::absent;
  if (version && found->version != *version) return ReadResult::changed;
  const std::span<const std::byte> bytes = *found->bytes;
  bool is_complete = true;
  for (const Slice& slice : slices) {
    const auto rest = bytes.subspan(std::min<std::uint64_t>(slice.offset, bytes.size()));
    const std::size_t size = std::min(rest.size(), slice.into.size());
    std::ranges::copy(rest.first(size), slice.into.begin());
    is_complete &= size == slice.into.size();
  }
  return is_complete ? ReadResult::complete : ReadResult::past_end;
}

std::unique_ptr<ObjectWriter> MemoryStorage::create(const std::string& url, CreateOptions options) {
  require_memory_url(url);
  return std::make_unique<Writer>(*this, url, options);
}

bool MemoryStorage::remove(const std::string& url) {
  require_memory_url(url);
  const MutexLock lock(mutex_);
  return objects_.erase(url) > 0;
}

std::optional<Latest> MemoryStorage::latest(const std::string& url) {
  const auto found = find(url);
  if (!found) return std::nullopt;
  require_small(url, found->bytes->size());
  return Latest{*found->bytes, found->version};
}

std::optional<Version> MemoryStorage::replace_if(const std::string& url, const std::optional<Version>& expected,
                                                 std::span<const std::byte> bytes) {
  require_memory_url(url);
  require_small(url, bytes.size());
  const auto stored = store(url, {bytes.begin(), bytes.end()}, expected.value_or(absent));
  return stored ? std::optional(stored->version) : std::nullopt;
}

std::optional<MemoryStorage::Object> MemoryStorage::find(const std::string& url) {
  require_memory_url(url);
  const MutexLock lock(mutex_);
  const auto found = objects_.find(url);
  return found == objects_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<ObjectStat> MemoryStorage::store(const std::string& url, Bytes bytes,
                                               const std::optional<Version>& expected) {
  const MutexLock lock(mutex_);
  const auto found = objects_.find(url);
  if (expected && (found == objects_.end() ? absent : found->second.version) != *expected) return std::nullopt;
  const ObjectStat stat{bytes.size(), {std::to_string(++last_version_)}};
  objects_[url] = {std::make_shared<const Bytes>(std::move(bytes)), stat.version};
  return stat;
}

}  // namespace carrack::data
