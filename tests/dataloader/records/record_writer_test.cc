#include "dataloader/records/record_writer.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "dataloader/storage/file/file_storage.h"
#include "tests/dataloader/records/files.h"
#include "tests/dataloader/records/reading.h"
#include "tests/dataloader/storage/temporary_folder.h"

namespace carrack::data {
namespace {

constexpr Compression all[] = {Compression::none, Compression::gzip, Compression::zlib};

class RecordWriting : public testing::Test {
 protected:
  Bytes bytes() { return read_whole(storage, path).value(); }

  TemporaryFolder folder;
  FileStorage storage{1};
  const std::string path = folder.path() + "/x.tfrecord";
};

TEST_F(RecordWriting, RoundTrips) {
  std::mt19937_64 random(1);
  std::vector<std::string> records;
  for (const std::size_t length : {0u, 1u, 1000u, 700'000u, 0u, 262'128u, 5u}) {
    records.emplace_back(length, '\0');
    for (char& letter : records.back()) letter = static_cast<char>(random());
  }
  const Bytes plain = file_of({records.begin(), records.end()});
  for (const Compression compression : all) {
    RecordWriter writer(storage.create(path, {}), compression);
    for (const std::string& record : records) writer.write(wire::bytes_of(record));
    const auto written = writer.commit();
    EXPECT_EQ(written, storage.stat(path));
    EXPECT_EQ(read_all(bytes(), {.compression = compression}), read_all(plain)) << name_of(compression);
    EXPECT_EQ(bytes() == plain, compression == Compression::none);
  }
}

TEST_F(RecordWriting, CompressesAFileWithoutRecordsToo) {
  for (const Compression compression : all) {
    RecordWriter(storage.create(path, {}), compression).commit();
    EXPECT_EQ(read_all(bytes(), {.compression = compression}), Lines());
    EXPECT_EQ(bytes().empty(), compression == Compression::none);
  }
}

TEST_F(RecordWriting, ShowsNothingBeforeTheCommit) {
  {
    RecordWriter writer(storage.create(path, {}));
    for (int i = 0; i < 1000; ++i) writer.write(Bytes(1000));
    EXPECT_EQ(storage.stat(path), std::nullopt);
  }
  EXPECT_EQ(storage.stat(path), std::nullopt);
}

TEST_F(RecordWriting, LosesToAnEarlierWriterOfTheName) {
  RecordWriter late(storage.create(path, {.must_not_exist = true}), Compression::gzip);
  RecordWriter early(storage.create(path, {.must_not_exist = true}));
  late.write(wire::bytes_of("late"));
  early.write(wire::bytes_of("early"));
  EXPECT_NE(early.commit(), std::nullopt);
  EXPECT_EQ(late.commit(), std::nullopt);
  EXPECT_EQ(read_all(bytes()), Lines{"0@0 early"});
}

}  // namespace
}  // namespace carrack::data
