// FileStorage: the Storage of file:// URLs and bare paths, on local disks and mounted file systems such as NFS.
// storage.h defines its functions; here is only what is special for files. Storages makes it.
//
// A version is the time of the last change and the size of the file. For latest() and replace_if() it is the number in
// the file's name instead (numbered_file.h), so their versions must not be mixed with the versions of other functions.
//
// A file gets its name after it was written and synced; create() and replace_if() make missing folders. A file is
// replaced, never changed in place. Folders, pipes and devices are not objects; create() throws Refused if the name is
// that of a pipe, a device or a symbolic link. Other functions follow symbolic links, but remove() removes the link.
#pragma once

#include <atomic>
#include <cstdint>

#include "dataloader/storage/storage.h"

namespace carrack::data {

class FileStorage : public Storage {
 public:
  // `nonce` is a random number for the names of temporary files. It must differ from the nonce of every other
  // FileStorage, in any process, that writes to the same folders.
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
  // Returns a part of a temporary file's name that is never used twice.
  std::string unique_name();

  const std::uint64_t nonce_;
  std::atomic<std::uint64_t> count_ = 0;
};

}  // namespace carrack::data
