// Resumable uploads and checksums as GCS documents them, through the proxy, on a real fake-gcs-server.
#include "tests/support/gcs/object_store_test_case.h"
#include "tests/support/gcs/uploads.h"

namespace carrack::tests {
namespace {

using nlohmann::json;

constexpr std::size_t quantum = upload_quantum;
constexpr const char* crc32c_of_hello = "mnG7TA==";
constexpr const char* wrong_crc32c = "AAAAAA==";

class StrictUploadsTest : public ObjectStoreTest {
 protected:
  std::string start(const std::string& query = "", const std::string& resource = "") const {
    const auto started = client().Post("/upload/storage/v1/b/bucket/o?uploadType=resumable&name=x" + query, resource,
                                       "application/json");
    EXPECT_EQ(started->status, 200);
    return started->get_header_value("Location").substr(proxy->url().size());
  }
  httplib::Result put(const std::string& session, const std::string& body, const std::string& range) const {
    return client().Put(session, {{"Content-Range", range}}, body, "");
  }
  httplib::Result status(const std::string& session) const { return put(session, "", "bytes */*"); }
};

std::string range(std::size_t first, std::size_t length, const std::string& total) {
  return "bytes " + std::to_string(first) + "-" + std::to_string(first + length - 1) + "/" + total;
}

TEST_F(StrictUploadsTest, AnUploadInChunksIsTheWholeObjectAtTheEnd) {
  const std::string first(quantum, 'a');
  const std::string second(2 * quantum, 'b');
  const std::string session = start();
  const auto one = put(session, first, range(0, quantum, "*"));
  EXPECT_EQ(one->status, 308);
  EXPECT_EQ(one->get_header_value("Range"), "bytes=0-262143");
  EXPECT_EQ(read("x")->status, 404) << "nothing is seen before the end";
  const auto two = put(session, second, range(quantum, 2 * quantum, "*"));
  EXPECT_EQ(two->get_header_value("Range"), "bytes=0-786431");
  const auto last = put(session, "end", range(3 * quantum, 3, std::to_string(3 * quantum + 3)));
  ASSERT_EQ(last->status, 200);
  EXPECT_EQ(json::parse(last->body)["size"], std::to_string(3 * quantum + 3));
  EXPECT_EQ(read("x")->body, first + second + "end");
}

TEST_F(StrictUploadsTest, AStatusQueryFinishesNothing) {
  const std::string session = start();
  EXPECT_EQ(status(session)->status, 308);
  EXPECT_FALSE(status(session)->has_header("Range"));
  put(session, std::string(quantum, 'a'), range(0, quantum, std::to_string(quantum + 3)));
  for (const char* query : {"bytes */*", "bytes */262147"}) {
    const auto asked = put(session, "", query);
    EXPECT_EQ(asked->status, 308);
    EXPECT_EQ(asked->get_header_value("Range"), "bytes=0-262143");
  }
  EXPECT_EQ(read("x")->status, 404);
  EXPECT_EQ(put(session, "end", range(quantum, 3, std::to_string(quantum + 3)))->status, 200);
}

TEST_F(StrictUploadsTest, AnEmptyObjectAndOneOfUnknownLengthCanBeFinished) {
  EXPECT_EQ(put(start(), "", "bytes */0")->status, 200);
  EXPECT_EQ(read("x")->body, "");
  const std::string session = start();
  put(session, std::string(quantum, 'a'), range(0, quantum, "*"));
  EXPECT_EQ(put(session, "", "bytes */262144")->status, 200);
  EXPECT_EQ(read("x")->body.size(), quantum);
}

TEST_F(StrictUploadsTest, LessThanWasSentMayBePersisted) {
  proxy->set({0, {{"PUT", "upload_id", Nth{{1}}, PersistAtMost{quantum + 100}}}});
  const std::string content = std::string(quantum, 'a') + std::string(quantum, 'b') + "end";
  const std::string session = start();
  const auto first = put(session, content, range(0, content.size(), std::to_string(content.size())));
  EXPECT_EQ(first->status, 308);
  ASSERT_EQ(first->get_header_value("Range"), "bytes=0-262143");
  EXPECT_EQ(proxy->counters().faults["persist"], 1U);
  const std::string rest = content.substr(quantum);
  EXPECT_EQ(put(session, rest, range(quantum, rest.size(), std::to_string(content.size())))->status, 200);
  EXPECT_EQ(read("x")->body, content);
}

TEST_F(StrictUploadsTest, ABrokenUploadIsTakenUpWhereTheStatusSays) {
  proxy->set({0, {{"PUT", "", Nth{{1}}, PersistAtMost{quantum}}, {"PUT", "", Nth{{1}}, LoseReply{}}}});
  const std::string content(2 * quantum, 'a');
  const std::string session = start();
  EXPECT_FALSE(put(session, content, range(0, content.size(), std::to_string(content.size()))));
  EXPECT_EQ(status(session)->get_header_value("Range"), "bytes=0-262143");
  EXPECT_EQ(put(session, content.substr(quantum), range(quantum, quantum, std::to_string(content.size())))->status,
            200);
  EXPECT_EQ(read("x")->body, content);
}

TEST_F(StrictUploadsTest, AfterALostReplyTheStatusIsTheFinishedObject) {
  proxy->set({0, {{"PUT", "", Nth{{1}}, LoseReply{}}}});
  const std::string session = start("&ifGenerationMatch=0");
  EXPECT_FALSE(put(session, "hello", "bytes 0-4/5"));
  const auto asked = status(session);
  ASSERT_EQ(asked->status, 200);
  EXPECT_EQ(json::parse(asked->body)["generation"], generation("x"));
}

TEST_F(StrictUploadsTest, PreconditionsAreCheckedAtTheEnd) {
  const std::string session = start("&ifGenerationMatch=0");
  ASSERT_EQ(write("x", "overtook")->status, 200);
  EXPECT_EQ(put(session, "hello", "bytes 0-4/5")->status, 412);
  EXPECT_EQ(read("x")->body, "overtook");
  EXPECT_EQ(status(session)->status, 410) << "the upload is over";
  EXPECT_EQ(put(start("&ifGenerationMatch=1"), "hello", "bytes 0-4/5")->status, 412) << "and not at the start";
}

TEST_F(StrictUploadsTest, AnExpiredCancelledOrUnknownSessionIsGone) {
  proxy->set({0, {{"PUT", "", Nth{{1}}, ExpireUpload{404}}}});
  const std::string expired = start();
  EXPECT_EQ(put(expired, "hello", "bytes 0-4/5")->status, 404);
  EXPECT_EQ(status(expired)->status, 404) << "for ever";
  EXPECT_EQ(proxy->counters().faults["expire"], 1U);
  const std::string cancelled = start();
  EXPECT_EQ(client().Delete(cancelled)->status, 499);
  EXPECT_EQ(put(cancelled, "hello", "bytes 0-4/5")->status, 410);
  EXPECT_EQ(status("/upload/storage/v1/b/bucket/o?uploadType=resumable&upload_id=none")->status, 404);
  EXPECT_EQ(read("x")->status, 404);
}

TEST_F(StrictUploadsTest, AChunkThatContradictsItselfIs400) {
  const std::string session = start();
  EXPECT_EQ(put(session, "four", "bytes 0-4/5")->status, 400);
  EXPECT_EQ(put(session, "four", "nonsense")->status, 400);
  EXPECT_EQ(put(session, "hello", "bytes 0-4/5")->status, 200) << "and the upload goes on";
}

TEST_F(StrictUploadsTest, TheLengthAnnouncedAtTheStartIsANumberAndHolds) {
  const auto start_with = [this](const char* length) {
    return client().Post("/upload/storage/v1/b/bucket/o?uploadType=resumable&name=x",
                         {{"X-Upload-Content-Length", length}}, "", "");
  };
  for (const char* length : {"", "five", "5x", "-5", "99999999999999999999"}) {
    EXPECT_EQ(start_with(length)->status, 400) << length;
  }
  const std::string session = start_with("5")->get_header_value("Location").substr(proxy->url().size());
  EXPECT_EQ(put(session, "four", "bytes 0-3/4")->status, 400) << "not the length announced";
  EXPECT_EQ(put(session, "hello", "bytes 0-4/5")->status, 200);
}

TEST_F(StrictUploadsTest, AChecksumThatDoesNotFitIs400AndNothingIsWritten) {
  const auto declared = [](const std::string& crc32c) { return R"({"crc32c": ")" + crc32c + R"("})"; };
  EXPECT_EQ(put(start("", declared(wrong_crc32c)), "hello", "bytes 0-4/5")->status, 400);
  const std::string long_one = start("", declared(wrong_crc32c));
  EXPECT_EQ(put(long_one, std::string(quantum, 'a'), range(0, quantum, "*"))->status, 308);
  EXPECT_EQ(put(long_one, "hello", range(quantum, 5, "262149"))->status, 400) << "of the whole, not of a chunk";
  const std::string media = "/upload/storage/v1/b/bucket/o?uploadType=media&name=x";
  const auto hash = [](const std::string& crc32c) { return httplib::Headers{{"x-goog-hash", "crc32c=" + crc32c}}; };
  EXPECT_EQ(client().Post(media, hash(wrong_crc32c), "hello", "")->status, 400);
  EXPECT_EQ(client().Put("/bucket/x", hash(wrong_crc32c), "hello", "")->status, 400);
  EXPECT_EQ(client().Put(start(), hash(wrong_crc32c), "hello", "")->status, 400);
  EXPECT_EQ(read("x")->status, 404);

  EXPECT_EQ(put(start("", declared(crc32c_of_hello)), "hello", "bytes 0-4/5")->status, 200);
  EXPECT_EQ(client().Post(media, hash(crc32c_of_hello), "hello", "")->status, 200);
  EXPECT_EQ(client().Put("/bucket/x", hash(crc32c_of_hello), "hello", "")->status, 200);
  EXPECT_EQ(client().Put(start(), hash(crc32c_of_hello), "hello", "")->status, 200);
  EXPECT_EQ(read("x")->body, "hello");
}

TEST_F(StrictUploadsTest, TheTypeGivenAtTheStartIsTheObjects) {
  EXPECT_EQ(
      put(start("", R"({"contentType": "text/x-step", "metadata": {"step": "7"}})"), "hello", "bytes 0-4/5")->status,
      200);
  const json resource = json::parse(metadata("x")->body);
  EXPECT_EQ(resource["contentType"], "text/x-step");
  EXPECT_EQ(resource["metadata"]["step"], "7");
}

}  // namespace
}  // namespace carrack::tests
