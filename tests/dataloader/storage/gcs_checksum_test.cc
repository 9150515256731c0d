// Whole objects whose bytes are damaged on their way, of several ranges that come by several requests.
#include <gtest/gtest.h>
#include <httplib.h>

#include <atomic>
#include <functional>
#include <thread>

#include "dataloader/crc32c.h"
#include "dataloader/error.h"
#include "dataloader/storage/gcs/gcs_storage.h"
#include "dataloader/storage/gcs/gcs_text.h"
#include "dataloader/storage/remote/ranges.h"
#include "tests/contract/storage_objects.h"

namespace carrack::data {
namespace {

const std::string object = "gs://bucket/a";

class GcsChecksum : public testing::Test {
 protected:
  GcsChecksum() {
    server_.Get(".*", [this](const httplib::Request& request, httplib::Response& response) {
      ++asked;
      response.set_header("x-goog-hash", "crc32c=" + checksum);
      response.set_header("x-goog-generation", "7");
      std::string sent = content;
      if (request.ranges.at(0).first == 0 && damaged-- > 0) sent[100] = static_cast<char>(sent[100] ^ 1);
      response.set_content(std::move(sent), "application/octet-stream");  // Of which httplib sends the range.
    });
    const int port = server_.bind_to_any_port("127.0.0.1");
    serving_ = std::jthread([this] { server_.listen_after_bind(); });
    while (!server_.is_running()) std::this_thread::yield();
    storage = std::make_unique<GcsStorage>(GcsClientSettings{.endpoint = "http://127.0.0.1:" + std::to_string(port),
                                                             .token = {},
                                                             .sleep = [](std::chrono::milliseconds) {},
                                                             .retries = {}});
  }
  ~GcsChecksum() override {
    storage.reset();
    server_.stop();
  }

  static std::string message_of(const std::function<void()>& action) {
    try {
      action();
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  }

  const std::string content = noise(2 * range_bytes_max + 1000, 1);
  const std::string checksum = crc32c_base64(crc32c(std::as_bytes(std::span(content))));
  std::atomic<int> damaged = 0;  // So many replies that begin with the first byte.
  std::atomic<int> asked = 0;
  std::unique_ptr<GcsStorage> storage;

 private:
  httplib::Server server_;
  std::jthread serving_;
};

TEST_F(GcsChecksum, OfAllRangesTogetherIsThatOfTheObject) {
  Bytes all(content.size());
  const Slice slice{0, all};
  EXPECT_EQ(storage->read(object, {&slice, 1}, std::nullopt), ReadResult::complete);
  EXPECT_TRUE(text_from(all) == content);
  EXPECT_EQ(asked, 3);
}

TEST_F(GcsChecksum, ThatIsWrongMakesAllBeReadAgain) {
  damaged = 2;
  Bytes first(range_bytes_max + 5), second(content.size() - first.size());
  const std::vector<Slice> slices{{first.size(), second}, {0, first}};
  EXPECT_EQ(storage->read(object, slices, Version{"7"}), ReadResult::complete);
  EXPECT_TRUE(text_from(first) + text_from(second) == content);
  EXPECT_GE(asked, 9);
}

TEST_F(GcsChecksum, ThatIsWrongThreeTimesIsAnError) {
  damaged = 1000;
  Bytes all(content.size());
  const Slice slice{0, all};
  EXPECT_EQ(message_of([&] {
              storage->read(object, {&slice, 1}, std::nullopt);
            }),
            object + ": its bytes do not have its checksum, crc32c=" + checksum +
                ", in 3 readings; look at the network between here and the storage");
  EXPECT_EQ(asked, 9);
}

TEST_F(GcsChecksum, IsNotThatOfAPart) {
  damaged = 1000;
  Bytes most(content.size() - 1);
  const Slice slice{0, most};
  EXPECT_EQ(storage->read(object, {&slice, 1}, std::nullopt), ReadResult::complete);
}

TEST_F(GcsChecksum, IsComparedWhereAReaderHasCome) {
  const ObjectStat stat{content.size(), {"7"}};
  Bytes most(content.size() - 1), last(1);
  {
    const auto reader = storage->open(object, stat);
    EXPECT_EQ(reader->read(most), ReadResult::complete);
    EXPECT_EQ(reader->read(last), ReadResult::complete);
    EXPECT_TRUE(text_from(most) + text_from(last) == content);
  }
  damaged = 1;
  const auto reader = storage->open(object, stat);
  EXPECT_EQ(reader->read(most), ReadResult::complete);
  EXPECT_EQ(message_of([&] { reader->read(last); }),
            object + ": its bytes do not have its checksum, crc32c=" + checksum +
                ", in 1 reading; look at the network between here and the storage");
}

}  // namespace
}  // namespace carrack::data
