#include "dataloader/indexes/index_name.h"

#include <gtest/gtest.h>

#include <filesystem>

namespace carrack::data {
namespace {

TEST(IndexName, IsTheDocumentedOne) {
  EXPECT_EQ(index_beside("gs://b/train-0.tfrecord"), "gs://b/train-0.tfrecord.index");
  EXPECT_EQ(index_name("gs://b/train-0.tfrecord"),
            "5214815b98b12110529fb9cf850f08e3d237dc6bca2395c6e5e10bf84af002fb.index");
}

TEST(IndexName, IsTheSameForAllSpellingsOfAFile) {
  const std::string here = std::filesystem::current_path().string();
  for (const std::string& url :
       {std::string("x.tfrecord"), std::string("./a/../x.tfrecord"), "file://" + here + "//x.tfrecord"}) {
    EXPECT_EQ(canonical_url(url), "file://" + here + "/x.tfrecord") << url;
    EXPECT_EQ(index_name(url), index_name(here + "/x.tfrecord")) << url;
  }
  EXPECT_EQ(canonical_url("gs://b/a/../x//y"), "gs://b/a/../x//y");
}

TEST(IndexName, DiffersForEachFile) {
  EXPECT_NE(index_name("gs://b/x"), index_name("gs://c/x"));
  EXPECT_NE(index_name("gs://b/x"), index_name("/b/x"));
}

TEST(IndexName, YieldsTheNameOfItsFile) {
  EXPECT_EQ(described_file_name("a/x.tfrecord.index"), "a/x.tfrecord");
  EXPECT_EQ(described_file_name("a/x.tfrecord.idx"), "a/x.tfrecord");
  EXPECT_EQ(described_file_name(columns_beside("a/x.tfrecord")), "a/x.tfrecord");
  EXPECT_EQ(described_file_name("a/x.tfrecord"), "");
}

}  // namespace
}  // namespace carrack::data
