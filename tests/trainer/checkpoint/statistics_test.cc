#include "trainer/checkpoint/statistics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "dataloader/storage/storages.h"
#include "tests/dataloader/storage/temporary_folder.h"
#include "trainer/checkpoint/folder.h"
#include "trainer/checkpoint/sealed_lines.h"
#include "trainer/error.h"

namespace carrack::checkpoint {
namespace {

const Statistics statistics{
    "carrack-order v2 files=2 records=200 bytes=7600 crc32c=62ef409b stage=shuffle kind=full seed=42 features=0badf00d",
    {{"standardize", "window", {{0.5F, 0.25F}, {-3, 1}}}, {"of the caf\u00e9", "50% load", {{1e-40F, 1.0F / 3}}}}};

// The worked example of docs/formats/checkpoint.md.
const std::string text = R"(carrack statistics 1
order carrack-order v2 files=2 records=200 bytes=7600 crc32c=62ef409b stage=shuffle kind=full seed=42 features=0badf00d
layer standardize window
column 3f000000 3e800000
column c0400000 3f800000
layer of%20the%20caf%c3%a9 50%25%20load
column 000116c2 3eaaaaab
crc32c 69ce6691
)";

std::string problem(const std::string& bytes) {
  const Decoded<Statistics> decoded = decode_statistics(bytes);
  const auto* corrupt = std::get_if<Corrupt>(&decoded);
  return corrupt ? corrupt->text : "no problem";
}

std::string problem_with(const std::string& piece, const std::string& by) {
  std::string changed = text.substr(0, text.rfind("crc32c "));
  changed.replace(changed.find(piece), piece.size(), by);
  return problem(seal(changed));
}

TEST(Statistics, HaveTheDocumentedText) {
  EXPECT_EQ(encode_statistics(statistics), text);
  EXPECT_EQ(std::get<Statistics>(decode_statistics(text)), statistics);
}

TEST(Statistics, AreRefusedWhenTheyAreCutOrChangedAnywhere) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    EXPECT_NE(problem(text.substr(0, i)), "no problem");
    std::string flipped = text;
    flipped[i] = static_cast<char>(flipped[i] ^ 1);
    EXPECT_NE(problem(flipped), "no problem") << i;
  }
}

TEST(Statistics, SayWhichLineIsWrong) {
  EXPECT_EQ(problem_with("statistics 1", "statistics 2"),
            "carrack statistics: starts with 'carrack statistics 2', not 'carrack statistics 1'");
  EXPECT_EQ(problem_with("3f000000", "7fc00000"),
            "carrack statistics: has '7fc00000' for the eight hexadecimal digits of a finite number");
  EXPECT_EQ(problem_with("3f000000", "3F000000"),
            "carrack statistics: has '3F000000' for the eight hexadecimal digits of a finite number");
  EXPECT_EQ(problem_with("3e800000", "00000000"), "carrack statistics: has a deviation that is not above 0");
  EXPECT_EQ(problem_with("3e800000", "be800000"), "carrack statistics: has a deviation that is not above 0");
  EXPECT_EQ(problem_with(" 3e800000", ""), "carrack statistics: has 1 values for 'column', not 2");
  EXPECT_EQ(problem_with("standardize", "standardi%7a"), "carrack statistics: has a name that is not as it is written");
  EXPECT_EQ(problem_with("layer standardize window\n", ""),
            "carrack statistics: has 'column 3f000000 3e800000' where 'layer ...' belongs");
  EXPECT_EQ(problem_with("column 000116c2 3eaaaaab\n", ""), "carrack statistics: ends before 'column'");
  EXPECT_EQ(problem_with("kind=full", "kind=\x7f"),
            "carrack statistics: has an 'order' with characters that are not printable ASCII");
}

TEST(Statistics, AreNotWrittenIfTheyCouldNotBeRead) {
  const auto with_column = [](ColumnStatistics column) {
    return Statistics{"order", {{"layer", "feature", {column}}}};
  };
  EXPECT_NO_THROW(encode_statistics(with_column({})));
  EXPECT_THROW(encode_statistics(with_column({NAN, 1})), train::Error);
  EXPECT_THROW(encode_statistics(with_column({0, std::numeric_limits<float>::infinity()})), train::Error);
  EXPECT_THROW(encode_statistics(with_column({0, 0})), train::Error);
  EXPECT_THROW(encode_statistics({"order", {}}), train::Error);
}

TEST(Statistics, AreCreatedOnceInAFolderAndReplacedOnDemand) {
  const data::TemporaryFolder temporary;
  const data::Storages storages{data::StorageSettings{}};
  CheckpointFolder folder(storages.for_url(temporary.path()), temporary.path());
  EXPECT_EQ(folder.statistics(), std::nullopt);
  EXPECT_TRUE(folder.write_statistics(statistics, false));
  EXPECT_EQ(folder.statistics(), statistics);
  Statistics others = statistics;
  others.layers.pop_back();
  EXPECT_FALSE(folder.write_statistics(others, false));
  EXPECT_EQ(folder.statistics(), statistics);
  EXPECT_TRUE(folder.write_statistics(others, true));
  EXPECT_EQ(folder.statistics(), others);
}

}  // namespace
}  // namespace carrack::checkpoint
