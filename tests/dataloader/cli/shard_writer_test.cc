#include "dataloader/cli/shard_writer.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "dataloader/error.h"
#include "dataloader/indexes/index_name.h"
#include "dataloader/storage/file/file_storage.h"
#include "tests/dataloader/storage/temporary_folder.h"

namespace carrack::data::cli {
namespace {

std::string text_of(const std::string& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

// Two shards are there already, with names of their columns.
class ShardWriterTest : public testing::Test {
 protected:
  ShardWriterTest() {
    for (const std::string& name : names_)
      for (const std::string& file : {name, columns_beside(name)}) std::ofstream(file) << "old";
  }

  ShardWriter writer(const std::string& column_names, bool replace = true) {
    return {storage_,
            parse_output(folder_.path() + "/x.tfrecord", {}),
            {.names = names_, .frame_bytes = 32, .replace = replace, .column_names = column_names}};
  }

  const TemporaryFolder folder_;
  const std::vector<std::string> names_{folder_.path() + "/x-0.tfrecord", folder_.path() + "/x-1.tfrecord"};
  FileStorage storage_{0};
};

TEST_F(ShardWriterTest, ReplacesNamesOfColumnsWithTheirRecords) {
  ShardWriter shards = writer("new");
  shards.write({});
  EXPECT_EQ(text_of(columns_beside(names_[0])), "old") << "the records are still the old ones";
  shards.write({});
  EXPECT_NE(text_of(names_[0]), "old");
  EXPECT_EQ(text_of(columns_beside(names_[0])), "new");
  EXPECT_EQ(text_of(names_[1]), "old");
  EXPECT_EQ(text_of(columns_beside(names_[1])), "old");
  shards.remove_written();
  EXPECT_FALSE(std::filesystem::exists(names_[0]));
  EXPECT_FALSE(std::filesystem::exists(columns_beside(names_[0])));
  EXPECT_TRUE(std::filesystem::exists(columns_beside(names_[1])));
}

TEST_F(ShardWriterTest, RemovesNoNamesOfColumnsThatAnotherProcessHasWritten) {
  for (const std::string& name : names_) std::filesystem::remove(name);
  ShardWriter shards = writer("new", false);
  shards.write({});
  EXPECT_THROW(shards.finish(), Refused);
  shards.remove_written();
  EXPECT_FALSE(std::filesystem::exists(names_[0]));
  EXPECT_EQ(text_of(columns_beside(names_[0])), "old");
}

TEST_F(ShardWriterTest, RemovesNamesOfRecordsThatItReplacesByOthersWithout) {
  ShardWriter shards = writer("");
  shards.write({});
  shards.write({});
  EXPECT_FALSE(std::filesystem::exists(columns_beside(names_[0])));
  shards.finish();
  EXPECT_FALSE(std::filesystem::exists(columns_beside(names_[1])));
  EXPECT_TRUE(std::filesystem::exists(names_[1]));
}

}  // namespace
}  // namespace carrack::data::cli
