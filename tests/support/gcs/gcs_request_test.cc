#include "tests/support/gcs/gcs_request.h"

#include <gtest/gtest.h>

#include <vector>

namespace carrack::tests {
namespace {

struct Row {
  const char* method;
  const char* target;
  GcsRequest expected;
};

TEST(GcsRequest, IsReadOffMethodAndTarget) {
  const ObjectName ab{"bkt", "a/b"};
  const ObjectName xy{"other", "x/y"};
  const std::vector<Row> rows{
      {"GET", "/storage/v1/b/bkt/o/a%2Fb", {Operation::read_metadata, ab, {}}},
      {"GET", "/storage/v1/b/bkt/o/a%2Fb?alt=media", {Operation::read_media, ab, {}}},
      {"GET", "/download/storage/v1/b/bkt/o/a%2Fb?alt=media", {Operation::read_media, ab, {}}},
      {"DELETE", "/storage/v1/b/bkt/o/a%2Fb", {Operation::remove, ab, {}}},
      {"PATCH", "/storage/v1/b/bkt/o/a%2Fb", {Operation::patch, ab, {}}},
      {"POST", "/storage/v1/b/bkt/o/x%2Fy/compose", {Operation::compose, {"bkt", "x/y"}, {}}},
      {"POST", "/storage/v1/b/bkt/o/a%2Fb/rewriteTo/b/other/o/x%2Fy", {Operation::copy, xy, ab}},
      {"POST", "/storage/v1/b/bkt/o/a%2Fb/copyTo/b/other/o/x%2Fy", {Operation::copy, xy, ab}},
      {"POST", "/upload/storage/v1/b/bkt/o?uploadType=media&name=a%2Fb", {Operation::insert, ab, {}}},
      {"POST", "/upload/storage/v1/b/bkt/o?uploadType=multipart", {Operation::insert, {"bkt", ""}, {}}},
      {"POST", "/upload/storage/v1/b/bkt/o?uploadType=resumable&name=a%2Fb", {Operation::start_upload, ab, {}}},
      {"PUT", "/upload/storage/v1/b/bkt/o?name=a%2Fb&upload_id=1", {Operation::continue_upload, ab, {}}},
      {"DELETE", "/upload/storage/v1/b/bkt/o?name=a%2Fb&upload_id=1", {Operation::cancel_upload, ab, {}}},
      {"GET", "/bkt/a/b", {Operation::read_media, ab, {}, true}},
      {"HEAD", "/bkt/a%2Fb", {Operation::read_media, ab, {}, true}},
      {"PUT", "/bkt/a/b", {Operation::insert, ab, {}, true}},
      {"DELETE", "/bkt/a/b", {Operation::remove, ab, {}, true}},
      {"GET", "/storage/v1/b/bkt/o?prefix=a", {}},
      {"POST", "/storage/v1/b", {}},
      {"GET", "/bkt", {}},
      {"GET", "/", {}},
      {"GET", "/_internal/healthcheck", {}},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(gcs_request_from(row.method, target_from(row.target)), row.expected) << row.method << " " << row.target;
  }
}

GcsRequest insert_of(const std::string& name) {
  return {Operation::insert, {"bkt", name}, {}};
}

TEST(Insert, OfMultipartIsWhatToMultipartWrote) {
  const Insert insert{{"bkt", "a/b"}, {{"contentType", "text/plain"}, {"name", "a/b"}}, "line\r\n\r\n--line\r\n"};
  const Multipart upload = to_multipart(insert);
  const auto read =
      insert_from(insert_of(""), {{"uploadType", "multipart"}}, {{"Content-Type", upload.content_type}}, upload.body);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->object, insert.object);
  EXPECT_EQ(read->metadata, insert.metadata);
  EXPECT_EQ(read->content, insert.content);
}

TEST(Insert, OfMediaTakesNameTypeAndHashes) {
  const Fields headers{{"Content-Type", "text/plain"}, {"X-Goog-Hash", "crc32c=AAAAAA==, md5=BBBB"}};
  const auto read = insert_from(insert_of("a"), {{"uploadType", "media"}}, headers, "body");
  ASSERT_TRUE(read);
  EXPECT_EQ(read->content, "body");
  EXPECT_EQ(read->metadata,
            nlohmann::json({{"contentType", "text/plain"}, {"crc32c", "AAAAAA=="}, {"md5Hash", "BBBB"}}));
}

TEST(Insert, OfXmlTakesItsOwnMetadata) {
  GcsRequest gcs = insert_of("a");
  gcs.xml = true;
  const auto read = insert_from(gcs, {}, {{"X-Goog-Meta-Step", "7"}}, "body");
  ASSERT_TRUE(read);
  EXPECT_EQ(read->metadata["metadata"]["step"], "7");
}

TEST(Insert, RefusesMalformedUploads) {
  const Fields multipart{{"uploadType", "multipart"}};
  EXPECT_FALSE(insert_from(insert_of("a"), multipart, {{"Content-Type", "multipart/related"}}, "x")) << "no boundary";
  EXPECT_FALSE(insert_from(insert_of("a"), multipart, {{"Content-Type", "multipart/related; boundary=b"}},
                           "--b\r\n\r\n{}\r\n--b--"))
      << "no content";
  EXPECT_FALSE(insert_from(insert_of(""), {{"uploadType", "media"}}, {}, "x")) << "no name";
}

}  // namespace
}  // namespace carrack::tests
