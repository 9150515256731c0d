#include "dataloader/http/message.h"

#include <gtest/gtest.h>

namespace carrack::data {
namespace {

TEST(Message, OfARequestHasALengthWhereABodyMayBe) {
  EXPECT_EQ(request_head({.method = "GET", .target = "/a?b", .headers = {{"Range", "bytes=0-1"}}}, "host:1"),
            "GET /a?b HTTP/1.1\r\nHost: host:1\r\nRange: bytes=0-1\r\n\r\n");
  EXPECT_EQ(request_head({.method = "POST", .target = "/"}, "host"),
            "POST / HTTP/1.1\r\nHost: host\r\nContent-Length: 0\r\n\r\n");
  EXPECT_EQ(request_head({.method = "PUT", .target = "/", .body = "four"}, "host"),
            "PUT / HTTP/1.1\r\nHost: host\r\nContent-Length: 4\r\n\r\n");
}

TEST(Message, OfAReplyTellsStatusAndHeaders) {
  const auto reply =
      parse_reply_head("HTTP/1.1 206 Partial Content\r\nA:b\r\nx-Goog-hash:  crc32c=1 \r\nX-Goog-Hash: md5=2\r\n\r\n");
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->status, 206);
  EXPECT_EQ(reply->header("a"), "b");
  EXPECT_EQ(reply->header("X-GOOG-HASH"), "crc32c=1, md5=2");
  EXPECT_EQ(reply->header("none"), std::nullopt);
  EXPECT_EQ(parse_reply_head("HTTP/1.0 200\r\n\r\n")->status, 200);
}

TEST(Message, ThatIsNoneIsNotTakenForOne) {
  for (const char* text :
       {"", "\r\n\r\n", "HTTP/1.1 200 OK\r\n", "HTTP/2 200 OK\r\n\r\n", "HTTP/1.1 20 OK\r\n\r\n",
        "HTTP/1.1 2000\r\n\r\n", "HTTP/1.1  200 OK\r\n\r\n", "HTTP/1.1 200 OK\r\nno colon\r\n\r\n",
        "HTTP/1.1 200 OK\r\n: no name\r\n\r\n", "HTTP/1.1 -20 OK\r\n\r\n", "HTTP/1.1 099 OK\r\n\r\n",
        "HTTP/1.x 200 OK\r\n\r\n", "HTTP/1.1 200 OK\r\nA: b\r\n c: d\r\n\r\n", "HTTP/1.1 200 OK\r\nA: b\r\n\tc\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length : 5\r\n\r\n", "HTTP/1.1 200 OK\r\nA: b\nC: d\r\n\r\n",
        "HTTP/1.1 200 OK\r\nA: b\rC: d\r\n\r\n", "HTTP/1.1 200 OK\r\nA: \x7f\r\n\r\n"}) {
    EXPECT_FALSE(parse_reply_head(text)) << text;
  }
}

TEST(Message, EndsTheConnectionWhereItSaysSo) {
  EXPECT_TRUE(keeps_connection({.status = 200}));
  EXPECT_TRUE(keeps_connection({.status = 200, .headers = {{"Connection", "keep-alive"}}}));
  EXPECT_FALSE(keeps_connection({.status = 200, .headers = {{"connection", "Close"}}}));
}

struct Read {
  std::string content;
  std::string rest;  // Of what came, not taken.
  bool over = false;
  bool broken = false;
  bool operator==(const Read&) const = default;
};

// Of a body that comes in pieces of that size.
Read read(const HttpReply& head, std::string_view text, std::size_t piece) {
  BodyDecoder body(head);
  Read read;
  std::size_t at = 0;
  while (at < text.size() && !body.is_over() && !body.is_broken()) {
    const std::string_view come = text.substr(at, piece);
    const BodyDecoder::Step step = body.step(std::as_bytes(std::span(come)));
    EXPECT_GT(step.consumed, 0u);
    read.content.append(reinterpret_cast<const char*>(step.content.data()), step.content.size());
    at += step.consumed;
  }
  read.rest = text.substr(at);
  read.over = body.is_over();
  read.broken = body.is_broken();
  return read;
}

HttpReply with(const std::string& name, const std::string& value, int status = 200) {
  return {.status = status, .headers = {{name, value}}};
}

TEST(BodyDecoder, HasTheLengthThatWasSaid) {
  EXPECT_EQ(read(with("Content-Length", "5"), "hello and", 3), (Read{"hello", " and", true}));
  EXPECT_EQ(read(with("Content-Length", "5"), "hell", 100), (Read{"hell", "", false}));
  EXPECT_TRUE(BodyDecoder(with("Content-Length", "0")).is_over());
  EXPECT_TRUE(BodyDecoder(with("Content-Length", "5", 204)).is_over());
  EXPECT_TRUE(BodyDecoder(with("Content-Length", "5", 304)).is_over());
  for (const char* length : {"", "x", "-1", "5, 5", "5, 6", "99999999999999999999"}) {
    const BodyDecoder body(with("Content-Length", length));
    EXPECT_TRUE(body.is_broken()) << length;
    EXPECT_EQ(body.problem(), std::string("has the Content-Length ") + length);
  }
}

// Who is on the way may go by the one where we go by the other.
TEST(BodyDecoder, HasNoTwoLengths) {
  const BodyDecoder both({.status = 200, .headers = {{"Content-Length", "5"}, {"Transfer-Encoding", "chunked"}}});
  EXPECT_TRUE(both.is_broken());
  EXPECT_EQ(both.problem(), "has both a Content-Length and a Transfer-Encoding");
  const BodyDecoder differing({.status = 200, .headers = {{"Content-Length", "5"}, {"Content-Length", "6"}}});
  EXPECT_TRUE(differing.is_broken());
  EXPECT_EQ(differing.problem(), "has the Content-Length 5, 6");
}

TEST(BodyDecoder, EndsWithTheConnectionWhereNoLengthWasSaid) {
  EXPECT_TRUE(BodyDecoder({.status = 200}).ends_with_connection());
  EXPECT_EQ(read({.status = 200}, "hello", 2), (Read{"hello", "", false}));
}

TEST(BodyDecoder, InChunksIsTheSameHoweverItComes) {
  const std::string text =
      "5\r\nhello\r\n1; name=\"value\"\r\n \r\nA \r\n0123456789\r\n00\r\nTrailer: x\r\n\r\nHTTP/1.1";
  for (std::size_t piece = 1; piece <= text.size(); ++piece) {
    EXPECT_EQ(read(with("Transfer-Encoding", "Chunked"), text, piece), (Read{"hello 0123456789", "HTTP/1.1", true}))
        << piece;
  }
}

std::string problem_of(std::string_view chunks) {
  BodyDecoder body(with("Transfer-Encoding", "chunked"));
  while (!chunks.empty() && !body.is_over() && !body.is_broken()) {
    chunks.remove_prefix(body.step(std::as_bytes(std::span(chunks))).consumed);
  }
  return body.problem();
}

TEST(BodyDecoder, OfBrokenChunksEnds) {
  for (const char* text : {"\r\n", "g\r\n", "1000000000000000\r\n", "-1\r\n", ";\r\n"}) {
    EXPECT_EQ(problem_of(text), "has a chunk without a size") << text;
  }
  EXPECT_EQ(problem_of("5\r\nhelloX\r\n"), "has a chunk that is longer than it says");
  EXPECT_EQ(problem_of("1\r0\r\n"), "has a carriage return within a line");
  EXPECT_EQ(problem_of("0\r\n\r\r\n"), "has a carriage return within a line");
  const BodyDecoder coded(with("Transfer-Encoding", "gzip, chunked"));
  EXPECT_TRUE(coded.is_broken());
  EXPECT_EQ(coded.problem(), "has the Transfer-Encoding gzip, chunked");
}

TEST(BodyDecoder, WithoutEndBetweenItsChunksEnds) {
  const std::string problem = "has more than 16 KiB between its chunks or after them";
  const std::string much(20'000, 'a'), some(10'000, 'a');
  EXPECT_EQ(problem_of("5;" + much), problem);
  EXPECT_EQ(problem_of("0\r\nA: " + much), problem);
  EXPECT_EQ(problem_of("0\r\nA: " + some + "\r\nA: " + some), problem);
  EXPECT_EQ(problem_of("1;" + some + "\r\na\r\n1;" + some + "\r\nb\r\n0\r\n\r\n"), "");
}

}  // namespace
}  // namespace carrack::data
