// GcsStorage: the Storage of gs:// URLs: Google Cloud Storage, through its JSON API. storage.h defines its functions;
// here is only what is special for gs://. Storages makes it.
//
// A version is a generation, and every request that must not be carried out twice has a precondition on it. The
// checksum of an object is compared when it is written, and when all of it is read by one read() or reader; a reader
// does not compare it before its last byte. Reads send many requests in parallel, see remote/.
#pragma once

#include "dataloader/storage/gcs/gcs_client.h"
#include "dataloader/storage/remote/fetch_pool.h"
#include "dataloader/storage/remote/memory_budget.h"
#include "dataloader/storage/storage.h"

namespace carrack::data {

class GcsStorage : public Storage {
 public:
  // Copies `settings`, and sends no request. Throws Refused for a malformed endpoint, and Error if OpenSSL cannot be
  // used.
  explicit GcsStorage(const GcsClientSettings& settings);

  bool is_remote() const override { return true; }
  std::optional<ObjectStat> stat(const std::string& url) override;
  std::vector<Listed> list(const std::string& pattern) override;
  ReadResult read(const std::string& url, std::span<const Slice> slices,
                  const std::optional<Version>& version) override;
  std::unique_ptr<ObjectReader> open(const std::string& url, const ObjectStat& stat) override;
  std::unique_ptr<ObjectWriter> create(const std::string& url, CreateOptions options) override;
  bool remove(const std::string& url) override;
  std::optional<Latest> latest(const std::string& url) override;
  std::optional<Version> replace_if(const std::string& url, const std::optional<Version>& expected,
                                    std::span<const std::byte> bytes) override;

 private:
  const std::size_t listed_objects_max_;
  const std::size_t listed_pages_max_;
  GcsClient client_;
  MemoryBudget read_ahead_memory_;
  FetchPool fetch_pool_{client_};
};

}  // namespace carrack::data
