#include "dataloader/indexes/indexed_files.h"

#include <gtest/gtest.h>

#include <atomic>

#include "tests/dataloader/indexes/data_set.h"

namespace carrack::data {
namespace {

class IndexedFiles : public DataSet {
 protected:
  // Which of them were read to find the indexes: data and indexes of the first file.
  std::string read_of_first() {
    found(how());
    std::string read;
    if (storage.take_reads(data(0)) > 0) read += "data ";
    if (storage.take_reads(data(0) + ".index") > 0) read += "beside ";
    if (storage.take_reads(in("shared", 0)) > 0) read += "shared ";
    if (storage.take_reads(in("cache", 0)) > 0) read += "cache ";
    return read;
  }
};

TEST_F(IndexedFiles, AreBuiltOnceAndStoredButNeverBesideTheData) {
  EXPECT_EQ(read_of_first(), "data ");
  std::multiset<std::string> kept;
  for (const std::string place : {"shared", "cache"}) {
    for (int file = 0; file < 3; ++file) {
      EXPECT_EQ(content_of(storage, in(place, file)), encoded(file)) << place;
      kept.insert(in(place, file));
    }
  }
  EXPECT_EQ(storage.take_writes(), kept);
}

TEST_F(IndexedFiles, AreFoundBesideTheDataThenInTheSharedFolderThenInTheCache) {
  found(how());
  put(storage, data(0) + ".index", encoded(0));
  for (const std::string& url : {data(0), in("shared", 0), in("cache", 0)}) storage.take_reads(url);
  storage.take_writes();
  EXPECT_EQ(read_of_first(), "beside ");
  storage.remove(data(0) + ".index");
  EXPECT_EQ(read_of_first(), "shared ");
  storage.remove(in("shared", 0));
  EXPECT_EQ(read_of_first(), "cache ");
  EXPECT_TRUE(storage.take_writes().empty());
  storage.remove(in("cache", 0));
  EXPECT_EQ(read_of_first(), "data ");
  EXPECT_EQ(storage.take_writes(), (std::multiset{in("shared", 0), in("cache", 0)}));
  EXPECT_TRUE(taken_log().empty());
}

TEST_F(IndexedFiles, NeedNoCache) {
  IndexingOptions as = how();
  as.cache = "";
  found(as);
  EXPECT_EQ(storage.take_writes(), (std::multiset{in("shared", 0), in("shared", 1), in("shared", 2)}));
}

TEST_F(IndexedFiles, ReadTheirFiles) {
  const auto files = std::get<std::vector<IndexedFile>>(indexed(how()));
  ASSERT_EQ(files.size(), 3U);
  for (int i = 0; i < 3; ++i) {
    const IndexedFile& file = files[static_cast<std::size_t>(i)];
    EXPECT_EQ(file.source->name(), data(i));
    EXPECT_EQ(file.index.records(), static_cast<std::uint64_t>(i) + 1);
    EXPECT_EQ(file.source->stat(), file.index.file());
  }
}

TEST_F(IndexedFiles, ReportEachLookForAnIndex) {
  std::atomic<int> looks = 0;
  IndexingOptions as = how();
  as.on_look_up = [&] { ++looks; };
  found(as);
  EXPECT_EQ(looks.load(), 9) << "for three files: next to the data, in the shared folder and in the cache";
  found(as);
  EXPECT_EQ(looks.load(), 15) << "the shared folder has all of them now";
}

TEST_F(IndexedFiles, NameTheFileThatCannotBeIndexed) {
  put(storage, data(1), "neither a record nor anything else");
  put(storage, data(2), "nor this, which is found too");
  EXPECT_EQ(
      text(std::get<Corrupt>(indexed(how()))),
      data(1) + ": record 0 at byte 0: it is text; `carrack data convert` makes TFRecords of CSV and of JSON lines");
}

}  // namespace
}  // namespace carrack::data
