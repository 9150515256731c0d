// gs://: Google Cloud Storage through its JSON API. A version is a generation, and what must not be done twice carries
// a precondition on it. Checksums are compared for whole objects, both ways. What is read comes by many requests at
// once.
#pragma once

#include "dataloader/storage/gcs/gcs_client.h"
#include "dataloader/storage/gcs/gcs_fetch_pool.h"
#include "dataloader/storage/remote/memory_budget.h"
#include "dataloader/storage/storage.h"

namespace carrack::data {

class GcsStorage : public Storage {
 public:
  explicit GcsStorage(const GcsClientSettings& settings)
      : client_(settings), ahead_(settings.read_ahead_bytes, longest_range) {}

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
  GcsClient client_;
  MemoryBudget ahead_;
  GcsFetcher fetcher_{client_};
};

}  // namespace carrack::data
