#include "tests/support/gcs/http_text.h"

#include <gtest/gtest.h>

namespace carrack::tests {
namespace {

TEST(HttpText, ReadsARequestHeadAndWritesItBack) {
  const std::string text = "PUT /b/o?x=1 HTTP/1.1\r\nHost: a:1\r\nX-Empty: \r\n\r\n";
  const auto head = request_head_from(text);
  ASSERT_TRUE(head);
  EXPECT_EQ(head->method, "PUT");
  EXPECT_EQ(head->target, "/b/o?x=1");
  EXPECT_EQ(header(head->headers, "hOST"), "a:1");
  EXPECT_EQ(header(head->headers, "x-empty"), "");
  EXPECT_FALSE(header(head->headers, "other"));
  EXPECT_EQ(to_text(*head), text);
}

TEST(HttpText, ReadsAReplyHead) {
  const auto head = reply_head_from("HTTP/1.1 206 Partial Content\r\nContent-Length: 2\r\n\r\n");
  ASSERT_TRUE(head);
  EXPECT_EQ(head->status, 206);
  EXPECT_EQ(header(head->headers, "content-length"), "2");
}

TEST(HttpText, RefusesHeadsThatAreNotHttp) {
  for (const char* text : {"", "\r\n\r\n", "GET /\r\n\r\n", "GET / HTTP/2\r\n\r\n", "GET x HTTP/1.1\r\n\r\n",
                           "GET / HTTP/1.1\r\nno colon\r\n\r\n"}) {
    EXPECT_FALSE(request_head_from(text)) << text;
  }
  for (const char* text : {"", "HTTP/1.1\r\n\r\n", "HTTP/1.1 2x0 OK\r\n\r\n"})
    EXPECT_FALSE(reply_head_from(text)) << text;
}

TEST(HttpText, DecodesTheQueryButNotThePath) {
  const Target target = target_from("/o/a%2Fb?name=x%2Fy+z&empty=&flag");
  EXPECT_EQ(target.path, "/o/a%2Fb");
  EXPECT_EQ(target.query, (Fields{{"name", "x/y z"}, {"empty", ""}, {"flag", ""}}));
  EXPECT_EQ(target_from(to_text(target)), target);
}

TEST(HttpText, EncodesEveryByteSoThatItDecodesToItself) {
  std::string all;
  for (int c = 0; c < 256; ++c) all += static_cast<char>(c);
  EXPECT_EQ(percent_decoded(percent_encoded(all)), all);
  EXPECT_EQ(percent_encoded("a/b c-._~"), "a%2Fb%20c-._~");
  EXPECT_EQ(percent_decoded("100%"), "100%");
  EXPECT_EQ(percent_decoded("%zz%4"), "%zz%4");
}

TEST(HttpText, ReadsNumbersAndNothingElseAsOne) {
  EXPECT_EQ(number_from("0"), 0U);
  EXPECT_EQ(number_from("18446744073709551615"), 18'446'744'073'709'551'615U);
  for (const char* text : {"", "x", "1x", " 1", "-1", "+1", "18446744073709551616"})
    EXPECT_FALSE(number_from(text)) << text;
}

}  // namespace
}  // namespace carrack::tests
