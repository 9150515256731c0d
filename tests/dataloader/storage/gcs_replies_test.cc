// Replies that neither GCS nor the emulator should give, from a server that sends what the test sets.
#include <gtest/gtest.h>
#include <httplib.h>

#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "dataloader/error.h"
#include "dataloader/storage/gcs/gcs_object.h"
#include "dataloader/storage/gcs/gcs_storage.h"
#include "tests/contract/storage_objects.h"

namespace carrack::data {
namespace {

using Headers = std::vector<std::pair<std::string, std::string>>;

struct Reply {
  int status = 200;
  Headers headers;
  std::string body;
};

// Its server sends `replies` in turn, and the last one again for all later requests.
class GcsReplies : public testing::Test {
 protected:
  GcsReplies() {
    const auto answer = [this](const httplib::Request& request, httplib::Response& response) {
      const std::lock_guard lock(mutex_);
      requests_.push_back(request);
      const_cast<httplib::Request&>(request).ranges.clear();  // Or httplib cuts the reply to them by itself.
      const Reply& reply = replies.at(std::min(requests_.size(), replies.size()) - 1);
      response.status = reply.status;
      for (const auto& [name, value] : reply.headers) response.headers.emplace(name, value);
      response.body = reply.body;
    };
    server_.Get(".*", answer).Put(".*", answer).Post(".*", answer).Delete(".*", answer);
    port_ = server_.bind_to_any_port("127.0.0.1");
    serving_ = std::jthread([this] { server_.listen_after_bind(); });
    while (!server_.is_running()) std::this_thread::yield();
    GcsClientSettings settings;
    settings.endpoint = endpoint();
    settings.token = [this](const std::string& rejected) { return rejected.empty() ? "the-token" : next_token; };
    settings.sleep = [](std::chrono::milliseconds) {};
    storage_ = std::make_unique<GcsStorage>(settings);
  }
  ~GcsReplies() override {
    storage_.reset();
    server_.stop();
  }

  std::string endpoint() const { return "http://127.0.0.1:" + std::to_string(port_); }
  std::string message_of(const std::function<void(Storage&)>& action) {
    try {
      action(*storage_);
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  }
  std::vector<httplib::Request> requests() {
    const std::lock_guard lock(mutex_);
    return requests_;
  }
  Storage& storage() { return *storage_; }

  std::vector<Reply> replies;
  std::string next_token = "the-token";  // The token after one that was rejected.

 private:
  std::mutex mutex_;  // Guards requests_.
  std::vector<httplib::Request> requests_;
  httplib::Server server_;
  int port_ = 0;
  std::jthread serving_;
  std::unique_ptr<GcsStorage> storage_;
};

const std::string object = "gs://bucket/a";
const std::string hello = R"({"name":"a","size":"5","generation":"17","crc32c":"mnG7TA=="})";

void write_hello(Storage& storage) {
  put(storage, object, "hello");
}

void read_hello(Storage& storage) {
  Bytes into(5);
  const Slice slice{0, into};
  storage.read(object, {&slice, 1}, std::nullopt);
}

TEST_F(GcsReplies, ATokenIsSentWithEachRequest) {
  replies = {{200, {}, hello}};
  storage().stat(object);
  EXPECT_EQ(requests().at(0).get_header_value("Authorization"), "Bearer the-token");
}

TEST_F(GcsReplies, ATokenThatIsNotTakenIsFollowedByAnotherOnce) {
  next_token = "another-token";
  replies = {{401, {}, "Invalid Credentials"}, {200, {}, hello}};
  EXPECT_EQ(storage().stat(object)->size, 5u);
  EXPECT_EQ(requests().at(1).get_header_value("Authorization"), "Bearer another-token");
  replies = {{401, {}, "Invalid Credentials"}};
  EXPECT_EQ(message_of([](Storage& storage) { storage.stat(object); }),
            "gs://bucket/a: HTTP 401: Invalid Credentials; check the credentials");
  EXPECT_EQ(requests().size(), 4u);
}

TEST_F(GcsReplies, ATokenThatExpiresBetweenTwoReadsIsFollowedByAnother) {
  const Headers whole = {{"Content-Range", "bytes 0-4/5"}};
  replies = {
      {206, whole, "hello"}, {401, {}, "Invalid Credentials"}, {206, whole, "hello"}, {401, {}, "Invalid Credentials"}};
  next_token = "another-token";
  EXPECT_EQ(message_of(read_hello), "no error");
  EXPECT_EQ(message_of(read_hello), "no error");
  EXPECT_EQ(requests().at(2).get_header_value("Authorization"), "Bearer another-token");
  EXPECT_EQ(message_of(read_hello), "gs://bucket/a: HTTP 401: Invalid Credentials; check the credentials");
}

TEST_F(GcsReplies, TheSameTokenIsNotSentAgain) {
  replies = {{401, {}, "Invalid Credentials"}};
  EXPECT_EQ(message_of([](Storage& storage) { storage.stat(object); }),
            "gs://bucket/a: HTTP 401: Invalid Credentials; check the credentials");
  EXPECT_EQ(requests().size(), 1u);
}

TEST_F(GcsReplies, ATokenThatTheOtherSideShowsIsNotTold) {
  next_token = "another-token";
  const auto message = [&] { return message_of([](Storage& storage) { storage.stat(object); }); };
  replies = {{403, {}, R"({"error":{"message":"Bearer the-token may not; the-token"}})"}};
  EXPECT_EQ(message(), "gs://bucket/a: HTTP 403: Bearer ... may not; ...; give the account the right to do this");
  replies = {{}, {200, {}, "Bearer the-token may"}};
  EXPECT_EQ(message(), "gs://bucket/a: HTTP 200: Bearer ... may");
  replies = {{}, {}, {401, {}, "no"}, {403, {}, "Bearer another-token may not"}};
  EXPECT_EQ(message(), "gs://bucket/a: HTTP 403: Bearer ... may not; give the account the right to do this");
}

TEST_F(GcsReplies, ARedirectIsNotFollowed) {
  replies = {{307, {{"Location", endpoint() + "/elsewhere"}}, ""}};
  EXPECT_EQ(message_of([](Storage& storage) { storage.stat(object); }), "gs://bucket/a: HTTP 307");
  EXPECT_EQ(requests().size(), 1u);
}

TEST(Secrets, AreLeftOutHoweverTheyLook) {
  EXPECT_EQ(redacted("a.b", "."), "a...b");
  EXPECT_EQ(redacted("......", "..."), "......");
  EXPECT_EQ(redacted("key", ""), "key");
}

TEST_F(GcsReplies, AnUploadGoesOnWithAnotherToken) {
  next_token = "another-token";
  const Reply session{200, {{"Location", endpoint() + "/upload?upload_id=secret"}}, ""};
  replies = {session, {401, {}, "Invalid Credentials"}, {200, {}, hello}};
  write_hello(storage());
  EXPECT_EQ(requests().at(2).body, "hello");
  EXPECT_EQ(requests().at(2).get_header_value("Authorization"), "Bearer another-token");
}

TEST_F(GcsReplies, RefusalsTellWhoSaidWhat) {
  replies = {{403, {}, R"({"error":{"message":"anonymous has no storage.objects.get access"}})"}};
  EXPECT_EQ(
      message_of([](Storage& storage) { storage.stat(object); }),
      "gs://bucket/a: HTTP 403: anonymous has no storage.objects.get access; give the account the right to do this");
  replies = {{401, {}, "Invalid Credentials"}};
  EXPECT_EQ(message_of(write_hello), "gs://bucket/a: HTTP 401: Invalid Credentials; check the credentials");
}

TEST_F(GcsReplies, ThatAreNotWhatWasAskedForAreErrors) {
  replies = {{200, {}, "<html>a portal</html>"}};
  EXPECT_EQ(message_of([](Storage& storage) { storage.stat(object); }),
            "gs://bucket/a: HTTP 200: <html>a portal</html>");
  EXPECT_EQ(message_of([](Storage& storage) { storage.list("gs://bucket/*"); }),
            "gs://bucket/*: HTTP 200: <html>a portal</html>");
  EXPECT_EQ(message_of([](Storage& storage) { storage.replace_if(object, std::nullopt, {}); }),
            "gs://bucket/a: HTTP 200: <html>a portal</html>");
}

TEST_F(GcsReplies, BytesWithoutTheirChecksumAreReadAgain) {
  const Headers whole{
      {"Content-Range", "bytes 0-4/5"}, {"x-goog-hash", "crc32c=mnG7TA=="}, {"x-goog-hash", "md5=XUFAKg=="}};
  replies = {{206, whole, "hellO"}, {206, whole, "hello"}};
  EXPECT_EQ(message_of(read_hello), "no error");
  EXPECT_EQ(requests().size(), 2u);
}

TEST_F(GcsReplies, BytesWithoutTheirChecksumThreeTimesAreAnError) {
  replies = {{206, {{"Content-Range", "bytes 0-4/5"}, {"x-goog-hash", "crc32c=mnG7TA=="}}, "hellO"}};
  EXPECT_EQ(
      message_of(read_hello),
      "gs://bucket/a: its bytes do not have its checksum, crc32c=mnG7TA==, in 3 readings; look at the network between "
      "here and the storage");
  EXPECT_EQ(requests().size(), 3u);
}

TEST_F(GcsReplies, AnotherRangeThanAskedForIsAnError) {
  replies = {{206, {{"Content-Range", "bytes 2-6/100"}}, "hello"}};
  EXPECT_EQ(message_of(read_hello), "gs://bucket/a: asked for the bytes from 0 and got those from 2");
}

TEST_F(GcsReplies, AWholeObjectInPlaceOfARangeIsTakenFromItsStart) {
  replies = {{200, {}, "hello and more"}};
  Bytes into(5);
  const Slice start{0, into};
  EXPECT_EQ(storage().read(object, {&start, 1}, std::nullopt), ReadResult::complete);
  EXPECT_EQ(text_from(into), "hello");
  const Slice later{6, into};
  EXPECT_EQ(message_of([&](Storage& storage) {
              storage.read(object, {&later, 1}, std::nullopt);
            }),
            "gs://bucket/a: asked for the bytes from 6 and got those from 0");
}

TEST_F(GcsReplies, PagesOfAListAreFollowedToTheLast) {
  replies = {{200,
              {},
              R"({"items":[{"name":"b","size":"1","generation":"2"},{"name":"b/","size":"0","generation":"4"}],)"
              R"("nextPageToken":"the next/one"})"},
             {200, {}, R"({"items":[{"name":"a","size":"3","generation":"5"}]})"}};
  EXPECT_EQ(storage().list("gs://bucket/**"),
            (std::vector<Listed>{{"gs://bucket/a", {3, {"5"}}}, {"gs://bucket/b", {1, {"2"}}}}));
  EXPECT_FALSE(requests().at(0).has_param("pageToken"));
  EXPECT_EQ(requests().at(1).get_param_value("pageToken"), "the next/one");
}

TEST_F(GcsReplies, APageThatIsItsOwnNextEndsTheList) {
  replies = {{200, {}, R"({"nextPageToken":"again"})"}};
  EXPECT_EQ(message_of([](Storage& storage) { storage.list("gs://bucket/**"); }),
            "gs://bucket/**: HTTP 200: {\"nextPageToken\":\"again\"}");
  EXPECT_EQ(requests().size(), 2u);
}

TEST_F(GcsReplies, ListingsOfMoreObjectsOrPagesThanAllowedAreRefused) {
  const GcsClientSettings settings{
      .endpoint = endpoint(), .token = {}, .sleep = {}, .retries = {}, .listed_objects_max = 2, .listed_pages_max = 3};
  GcsStorage storage(settings);
  const auto refusal = [&] { return message_of([&](Storage&) { storage.list("gs://bucket/**"); }); };
  replies = {{200,
              {},
              R"({"items":[{"name":"a","size":"1","generation":"2"},{"name":"b","size":"1","generation":"2"}],)"
              R"("nextPageToken":"1"})"},
             {200, {}, R"({"items":[{"name":"c","size":"1","generation":"2"}]})"}};
  EXPECT_EQ(refusal(), "gs://bucket/**: more than 2 objects match; write a pattern that fewer match");
  replies = {{},
             {},
             {200, {}, R"({"nextPageToken":"1"})"},
             {200, {}, R"({"nextPageToken":"2"})"},
             {200, {}, R"({"nextPageToken":"3"})"}};
  EXPECT_EQ(refusal(), "gs://bucket/**: the listing has more than 3 pages; begin the pattern with more of the names");
  EXPECT_EQ(requests().size(), 5u);
}

TEST_F(GcsReplies, TheAddressOfAnUploadIsNotTold) {
  const Reply session{200, {{"Location", endpoint() + "/upload?upload_id=secret&a=b"}}, ""};
  replies = {session, {403, {}, "no " + endpoint() + "/upload?upload_id=secret&a=b, no secret"}};
  EXPECT_EQ(message_of(write_hello),
            "gs://bucket/a: HTTP 403: no " + endpoint() + "..., no ...; give the account the right to do this");
}

TEST_F(GcsReplies, AnUploadGoesToNoOtherHost) {
  replies = {{200, {{"Location", "http://127.0.0.1:1/upload?upload_id=secret"}}, ""}};
  EXPECT_EQ(message_of(write_hello),
            "gs://bucket/a: the storage gave no address at " + endpoint() + " for the upload to go on");
}

TEST_F(GcsReplies, AnUploadThatWasStoredOtherwiseIsRemovedAgain) {
  const Reply session{200, {{"Location", endpoint() + "/upload?upload_id=secret"}}, ""};
  replies = {session, {200, {}, R"({"name":"a","size":"5","generation":"17","crc32c":"AAAAAA=="})"}, {204, {}, ""}};
  EXPECT_EQ(message_of(write_hello),
            "gs://bucket/a: the storage has stored other bytes than were sent (crc32c=AAAAAA==, not mnG7TA==), and the "
            "object "
            "was removed; write it again");
  EXPECT_EQ(requests().at(1).get_header_value("x-goog-hash"), "crc32c=mnG7TA==");
  EXPECT_EQ(requests().at(2).method, "DELETE");
  EXPECT_EQ(requests().at(2).get_param_value("ifGenerationMatch"), "17");
}

// What is there may be good; it is not removed because nobody says so.
TEST_F(GcsReplies, AnUploadWithoutAChecksumIsAnErrorAndStaysThere) {
  replies = {{200, {{"Location", endpoint() + "/upload/session"}}, ""},
             {200, {}, R"({"name":"a","size":"5","generation":"17"})"}};
  EXPECT_EQ(message_of(write_hello),
            "gs://bucket/a: the storage returned no checksum (crc32c) of the stored object, so it is unknown whether "
            "it holds "
            "what was sent");
  for (const httplib::Request& request : requests())
    EXPECT_TRUE(request.method != "DELETE" || request.path == "/upload/session") << request.path;
}

// Two requests that were sent before the version was known may each get another.
TEST(GcsObject, TakesNoHeadOfAnotherVersion) {
  const auto head_of = [](const std::string& generation) {
    HttpReply head{.status = 206};
    head.headers = {{"Content-Range", "bytes 0-4/5"}, {"x-goog-generation", generation}};
    return head;
  };
  GcsObject unpinned(object, "/a", std::nullopt), pinned(object, "/a", Version{"17"});
  EXPECT_TRUE(unpinned.accept_head(head_of("17"), 0));
  EXPECT_TRUE(unpinned.accept_head(head_of("17"), 0));
  for (GcsObject* one : {&unpinned, &pinned}) EXPECT_FALSE(one->accept_head(head_of("18"), 0));
}

TEST_F(GcsReplies, AnUploadOfWhichMoreIsStoredThanWasSentIsAnError) {
  replies = {{200, {{"Location", endpoint() + "/upload?upload_id=secret"}}, ""}, {308, {{"Range", "bytes=0-99"}}, ""}};
  EXPECT_EQ(message_of(write_hello),
            "gs://bucket/a: the storage says that it stores \"bytes=0-99\" of an upload of which it had 0 bytes and "
            "was sent 5; "
            "write the object again");
}

TEST_F(GcsReplies, AnObjectThatMustNotExistMayBeRefusedBeforeItsFirstByte) {
  replies = {{412, {}, ""}};
  const auto writer = storage().create(object, {.must_not_exist = true});
  writer->write(bytes_from("hello"));
  EXPECT_EQ(writer->commit(), std::nullopt);
  EXPECT_EQ(requests().size(), 1u);
}

TEST_F(GcsReplies, AnObjectThatMustNotExistMayBeRefusedWithinAWrite) {
  replies = {{200, {{"Location", endpoint() + "/upload?upload_id=secret"}}, ""}, {412, {}, ""}};
  const auto writer = storage().create(object, {.must_not_exist = true});
  writer->write(Bytes(std::size_t{20} << 20));
  EXPECT_EQ(writer->commit(), std::nullopt);
  EXPECT_EQ(requests().size(), 2u);
}

}  // namespace
}  // namespace carrack::data
