#include "dataloader/indexes/data_files.h"

#include <gtest/gtest.h>

#include "tests/dataloader/indexes/data_set.h"

namespace carrack::data {
namespace {

class DataFiles : public DataSet {
 protected:
  // Names of the files, each with `+` where it has an index.
  std::vector<std::string> found(const std::string& pattern) {
    std::vector<std::string> names;
    for (const DataFile& one : data_files(storage, folder.path() + "/data/" + pattern, how().log)) {
      names.push_back(one.file.url.substr(folder.path().size() + 6) + (one.index ? "+" : ""));
      EXPECT_TRUE(!one.index || one.index->url == one.file.url + ".index");
    }
    return names;
  }

  using Names = std::vector<std::string>;
};

TEST_F(DataFiles, AreTheSameWithIndexesBesideThem) {
  EXPECT_EQ(found("x-*"), (Names{"x-000", "x-001", "x-002"}));
  put(storage, data(1) + ".index", "some index");
  put(storage, data(2) + ".idx", "0 16\n");
  for (const std::string pattern : {"x-*", "*", "**", "x*", "?-*"}) {
    EXPECT_EQ(found(pattern), (Names{"x-000", "x-001+", "x-002"})) << pattern;
  }
  EXPECT_EQ(found("x-00?"), (Names{"x-000", "x-001+", "x-002"}));
  EXPECT_EQ(found("x-001"), Names{"x-001+"});
}

TEST_F(DataFiles, MayHaveNamesOfIndexes) {
  put(storage, folder.path() + "/data/book.index", "some data");
  put(storage, data(1) + ".index", "some index");
  EXPECT_EQ(found("book*"), Names{"book.index"});
  EXPECT_EQ(found("*.index"), (Names{"book.index", "x-001.index"}));
}

TEST_F(DataFiles, AreNoneIfNoNameMatches) {
  EXPECT_EQ(found("y-*"), Names{});
}

}  // namespace
}  // namespace carrack::data
