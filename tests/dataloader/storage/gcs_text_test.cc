#include "dataloader/storage/gcs/gcs_text.h"

#include <gtest/gtest.h>

#include "dataloader/crc32c.h"
#include "dataloader/storage/remote/ranges.h"

namespace carrack::data {
namespace {

TEST(PercentEncoded, LeavesWhatIsPlainEverywhere) {
  EXPECT_EQ(percent_encoded("aZ09-._~"), "aZ09-._~");
  EXPECT_EQ(percent_encoded("a b/c%é"), "a%20b%2Fc%25%C3%A9");
}

TEST(Crc32cText, IsBigEndianInBase64) {
  EXPECT_EQ(crc32c_base64(0), "AAAAAA==");
  EXPECT_EQ(crc32c_base64(0x9a71bb4c), "mnG7TA==");  // Of "hello", as Google Cloud Storage writes it.
  EXPECT_EQ(crc32c_base64(0xffffffff), "/////w==");
}

TEST(Crc32cText, IsFoundInTheHeaderOfHashes) {
  EXPECT_EQ(crc32c_base64_from("crc32c=mnG7TA==,md5=XUFAKrxLKna5cZ2REBfFkg=="), "mnG7TA==");
  EXPECT_EQ(crc32c_base64_from("md5=XUFAKrxLKna5cZ2REBfFkg==, crc32c=mnG7TA=="), "mnG7TA==");
  EXPECT_EQ(crc32c_base64_from("md5=XUFAKrxLKna5cZ2REBfFkg=="), std::nullopt);
}

TEST(Ranges, AreReadOrRefused) {
  const auto sent = content_range_from("bytes 5-9/100");
  ASSERT_TRUE(sent);
  EXPECT_EQ(sent->first, 5u);
  EXPECT_EQ(sent->object_size, 100u);
  for (const char* wrong : {"", "bytes */100", "bytes 5-9/*", "bytes a-9/100", "5-9/100", "bytes 5-9/100x", "bytes /-",
                            "bytes 99999999999999999999-1/2"}) {
    EXPECT_FALSE(content_range_from(wrong)) << wrong;
  }
  EXPECT_EQ(stored_bytes_from("bytes=0-524287"), 524288u);
  EXPECT_EQ(stored_bytes_from("bytes=1-524287"), std::nullopt);
  EXPECT_EQ(stored_bytes_from("bytes=0-"), std::nullopt);
  EXPECT_EQ(stored_bytes_from("0-5"), std::nullopt);
}

TEST(ObjectResource, IsReadOrRefused) {
  const auto object = object_from(R"({"name":"a","size":"5","generation":"17","crc32c":"mnG7TA==","more":[{}]})");
  ASSERT_TRUE(object);
  EXPECT_EQ(object->name, "a");
  EXPECT_EQ(object->stat, (ObjectStat{5, {"17"}}));
  EXPECT_EQ(object->crc32c, "mnG7TA==");
  for (const char* wrong :
       {"", "[]", "{}", R"({"size":"5"})", R"({"size":5,"generation":"17"})",
        "{\"size\":", R"({"size":"-5","generation":"17"})", R"({"size":"5","generation":"99999999999999999999"})"}) {
    EXPECT_FALSE(object_from(std::string(wrong))) << wrong;
  }
}

TEST(ObjectPage, IsReadOrRefused) {
  const auto page = page_from(R"({"items":[{"name":"a","size":"5","generation":"17"}],"nextPageToken":"next"})");
  ASSERT_TRUE(page);
  EXPECT_EQ(page->objects.size(), 1u);
  EXPECT_EQ(page->next_page, "next");
  EXPECT_TRUE(page_from("{}")->objects.empty());
  for (const char* wrong :
       {"", "[]", R"({"items":[{}]})", R"({"items":[{"size":"5","generation":"17"}]})", R"({"items":7})"}) {
    EXPECT_FALSE(page_from(wrong)) << wrong;
  }
}

TEST(Reason, IsTheMessageOrTheStartOfTheBody) {
  EXPECT_EQ(reason_from(R"({"error":{"message":"no rights"}})"), "no rights");
  EXPECT_EQ(reason_from(R"({"error":"odd"})"), R"({"error":"odd"})");
  EXPECT_EQ(reason_from(std::string(1000, 'x')), std::string(200, 'x'));
}

TEST(Multipart, HasABoundaryThatIsNotInTheBytes) {
  const std::string content = "a\r\n--carrack--\r\nb";
  const Multipart upload = multipart_from(std::as_bytes(std::span(content)));
  const std::string boundary = upload.content_type.substr(upload.content_type.find('=') + 1);
  EXPECT_EQ(content.find(boundary), std::string::npos);
  EXPECT_TRUE(upload.body.ends_with("\r\n\r\n" + content + "\r\n--" + boundary + "--\r\n"));
  EXPECT_NE(upload.body.find(R"({"crc32c":")"), std::string::npos);
}

}  // namespace
}  // namespace carrack::data
