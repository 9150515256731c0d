// Records of a file under gs://, over a network that is played: read in few large requests, whatever the piece that the
// reader works on.
#include <gtest/gtest.h>

#include "dataloader/records/frame.h"
#include "dataloader/records/index.h"
#include "dataloader/records/inflated_source.h"
#include "dataloader/records/record_reader.h"
#include "dataloader/records/record_writer.h"
#include "dataloader/records/wire.h"
#include "dataloader/storage/gcs/gcs_storage.h"
#include "tests/contract/storage_objects.h"
#include "tests/support/gcs/object_store_test_case.h"

namespace carrack::data {
namespace {

class RemoteReading : public tests::ObjectStoreTest {
 protected:
  void SetUp() override {
    ObjectStoreTest::SetUp();
    if (proxy == nullptr) return;
    storage = std::make_unique<GcsStorage>(GcsClientSettings{
        .endpoint = proxy->url(), .token = {}, .sleep = [](std::chrono::milliseconds) {}, .retries = {}});
  }
  void TearDown() override { storage.reset(); }

  // The bytes of all records, behind each other.
  std::string read(const std::string& url) {
    const StoredObject file(*storage, url, storage->stat(url).value());
    RecordReader reader(file);
    std::string all;
    for (;;) {
      const auto next = reader.next();
      if (std::holds_alternative<EndOfFile>(next)) return all;
      if (const Corrupt* corrupt = std::get_if<Corrupt>(&next)) return text(*corrupt);
      for (const Record& record : std::get<Records>(next).records) {
        all.append(reinterpret_cast<const char*>(record.data.data()), record.data.size());
      }
    }
  }

  std::unique_ptr<GcsStorage> storage;
};

TEST_F(RemoteReading, NeedsFewRequestsDespiteFaults) {
  const std::string url = "gs://bucket/records";
  const std::string content = noise(30'000'000, 1);
  RecordWriter writer(storage->create(url, {}));
  for (std::size_t at = 0; at < content.size(); at += 30'000) {
    writer.write(std::as_bytes(std::span(content)).subspan(at, 30'000));
  }
  writer.commit();
  proxy->set({1,
              {{"GET", "alt=media", tests::Nth{{2}}, tests::Answer{503, false}},
               {"GET", "alt=media", tests::Nth{{3}}, tests::Cut{1'000'000}}}});
  EXPECT_TRUE(read(url) == content);
  EXPECT_LE(proxy->counters().methods["GET"], 1u + 4u + 2u);
}

TEST_F(RemoteReading, InflatesWhatItNeedsOfOneVersionOfACompressedFile) {
  const std::string url = "gs://bucket/records.gz";
  const std::string content = noise(15'000'000, 1);
  RecordWriter writer(storage->create(url, {}), Compression::gzip);
  for (std::size_t at = 0; at < content.size(); at += 30'000) {
    writer.write(std::as_bytes(std::span(content)).subspan(at, 30'000));
  }
  writer.commit();
  const ObjectStat stat = storage->stat(url).value();
  const Index index = std::get<Index>(build_index(StoredObject(*storage, url, stat), std::size_t{4} << 20));
  ASSERT_GE(index.seek_points()->points.size(), 3);
  const auto file = inflated(std::make_unique<const StoredObject>(*storage, url, stat), index.seek_points(),
                             index.file().size, std::make_shared<InflaterCache>());
  const std::uint64_t before = proxy->counters().methods["GET"];
  std::vector<Bytes> records;
  std::vector<Slice> slices;
  for (const std::uint64_t record : {0, 490}) {
    const Index::Extent extent = index.at(record);
    slices.push_back({extent.offset, records.emplace_back(extent.size)});
  }
  ASSERT_EQ(file->read(slices), ReadResult::complete);
  EXPECT_LE(proxy->counters().methods["GET"], before + 2);
  EXPECT_EQ(wire::text_of(records[0]).substr(frame::header_size, 30'000), content.substr(0, 30'000));
  EXPECT_EQ(wire::text_of(records[1]).substr(frame::header_size, 30'000), content.substr(490 * 30'000, 30'000));
  put(*storage, url, "another");
  EXPECT_EQ(file->read({slices.data(), 1}), ReadResult::changed);
}

TEST_F(RemoteReading, ReportsAReplacedFile) {
  const std::string url = "gs://bucket/records";
  put(*storage, url, "no records");
  const StoredObject file(*storage, url, storage->stat(url).value());
  put(*storage, url, "others");
  RecordReader reader(file);
  const auto next = reader.next();
  ASSERT_TRUE(std::holds_alternative<Corrupt>(next));
  EXPECT_EQ(std::get<Corrupt>(next).fault, Fault::changed);
}

}  // namespace
}  // namespace carrack::data
