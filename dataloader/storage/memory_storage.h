// MemoryStorage: a Storage for tests, whose objects are in the memory of the process and end with this object. URLs are
// memory://NAME/NAME. storage.h defines the functions. Storages does not know it: pass it where a Storage& is needed. A
// version is a number that is never used twice. Safe for many threads.
#pragma once

#include <cstdint>
#include <map>
#include <memory>

#include "dataloader/mutex.h"
#include "dataloader/storage/storage.h"

namespace carrack::data {

class MemoryStorage : public Storage {
 public:
  bool is_remote() const override { return false; }
  std::optional<ObjectStat> stat(const std::string& url) override;
  std::vector<Listed> list(const std::string& pattern) override;
  ReadResult read(const std::string& url, std::span<const Slice> slices,
                  const std::optional<Version>& version) override;
  std::unique_ptr<ObjectWriter> create(const std::string& url, CreateOptions options) override;
  bool remove(const std::string& url) override;
  std::optional<Latest> latest(const std::string& url) override;
  std::optional<Version> replace_if(const std::string& url, const std::optional<Version>& expected,
                                    std::span<const std::byte> bytes) override;

 private:
  class Writer;
  struct Object {
    std::shared_ptr<const Bytes> bytes;
    Version version;
  };

  std::optional<Object> find(const std::string& url);
  // Stores the object if its current version is `expected`; a Version with an empty text means that the object must not
  // exist. If `expected` is nullopt, stores it in any case. Returns nullopt if it was not stored.
  std::optional<ObjectStat> store(const std::string& url, Bytes bytes, const std::optional<Version>& expected);

  Mutex mutex_;
  std::map<std::string, Object> objects_ GUARDED_BY(mutex_);  // by URL
  std::uint64_t last_version_ GUARDED_BY(mutex_) = 0;
};

}  // namespace carrack::data
