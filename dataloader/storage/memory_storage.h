// memory://: objects that live as long as this does and are seen by nobody else; for tests, and for programs whose
// parts talk in objects. A version is a number that is never used twice.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>

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
  // Unless something else than what is expected stands there; nothing is expected by Version{}.
  std::optional<ObjectStat> store(const std::string& url, Bytes bytes, const std::optional<Version>& expected);

  std::mutex mutex_;                       // Guards what follows.
  std::map<std::string, Object> objects_;  // By URL.
  std::uint64_t versions_ = 0;
};

}  // namespace carrack::data
