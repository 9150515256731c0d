// file://: local disks and mounted file systems. A version is the time of the last change and the size.
//
// Files get their name when they are whole and synced; folders are made where they are missing. Folders, pipes and the
// like are no objects; what is written here replaces a file, never changes one.
#pragma once

#include <atomic>
#include <cstdint>

#include "dataloader/storage/storage.h"

namespace carrack::data {

class FileStorage : public Storage {
 public:
  // `nonce` is one that no other process writing to the same folders has.
  explicit FileStorage(std::uint64_t nonce) : nonce_(nonce) {}

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
  std::string unique();

  const std::uint64_t nonce_;
  std::atomic<std::uint64_t> count_ = 0;
};

}  // namespace carrack::data
