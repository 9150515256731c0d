// Snapshots on gs://, as fake-gcs-server behind the fault proxy plays it.
#include <thread>

#include "dataloader/storage/gcs/gcs_storage.h"
#include "tests/dataloader/pipeline/snapshots.h"
#include "tests/support/gcs/fake_gcs.h"
#include "tests/support/gcs/fault_proxy.h"
#include "tests/support/gcs/object_store_test_case.h"

namespace carrack::data {
namespace {

TEST(ASnapshotOnGcs, IsMadeByTwoAtOnceAndReadByOthers) {
  tests::skip_unless_built(tests::fake_gcs_program());
  if (IsSkipped()) return;
  const tests::FakeGcs store({"bucket"});
  tests::FaultProxy proxy(store.url());
  GcsStorage storage({.endpoint = proxy.url(), .token = {}, .sleep = [](std::chrono::milliseconds) {}, .retries = {}});
  for (const Compression compression : {Compression::none, Compression::gzip}) {
    const Dataset dataset = ids(0, 200).filter("even", even()).map("all kinds", all_kinds());
    const SnapshotOptions options{.compression = compression, .shard_rows = 30};
    const auto read = [&] { return rows_in(storage, dataset, "gs://bucket/snapshots", options); };
    const Rows expected = rows_of(dataset);
    Rows got;
    std::thread other([&] { got = read(); });
    EXPECT_EQ(read().columns, expected.columns);
    other.join();
    EXPECT_EQ(got.columns, expected.columns);
    EXPECT_EQ(read().columns, expected.columns);
  }
  EXPECT_EQ(storage.list("gs://bucket/snapshots/*/manifest").size(), 2u);
}

}  // namespace
}  // namespace carrack::data
