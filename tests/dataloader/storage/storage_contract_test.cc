// The contract on file:// in a temporary folder, on memory://, and on gs:// as fake-gcs-server behind the fault proxy
// plays it.
#include "tests/contract/storage_contract.h"

#include <filesystem>

#include "dataloader/storage/file/file_storage.h"
#include "dataloader/storage/gcs/gcs_storage.h"
#include "dataloader/storage/memory_storage.h"
#include "tests/dataloader/storage/temporary_folder.h"
#include "tests/support/gcs/fake_gcs.h"
#include "tests/support/gcs/fault_proxy.h"

namespace carrack::data {
namespace {

class FilePlace : public StoragePlace {
 public:
  Storage& storage() override { return storage_; }
  std::string root() const override { return "file://" + folder_.path(); }

 private:
  TemporaryFolder folder_;
  FileStorage storage_{1};
};

class MemoryPlace : public StoragePlace {
 public:
  Storage& storage() override { return storage_; }
  std::string root() const override { return "memory://of/this/test"; }

 private:
  MemoryStorage storage_;
};

class GcsPlace : public StoragePlace {
 public:
  Storage& storage() override { return storage_; }
  std::string root() const override { return "gs://bucket/root"; }

 private:
  tests::FakeGcs store_{{"bucket"}};
  tests::FaultProxy proxy_{store_.url()};
  GcsStorage storage_{
      {.endpoint = proxy_.url(), .token = {}, .sleep = [](std::chrono::milliseconds) {}, .retries = {}}};
};

const StorageKind file{"File", {}, [] { return std::make_unique<FilePlace>(); }};
const StorageKind memory{"Memory", {}, [] { return std::make_unique<MemoryPlace>(); }};
const StorageKind gcs{"Gcs", tests::fake_gcs_program(), [] { return std::make_unique<GcsPlace>(); }};

INSTANTIATE_TEST_SUITE_P(Storages, StorageContract, testing::Values(file, memory, gcs),
                         [](const auto& tested) { return tested.param.name; });

}  // namespace
}  // namespace carrack::data
