// What GCS and the network do to requests, played by the fault proxy, and that the outcome is still the true one.
#include <gmock/gmock.h>

#include <chrono>
#include <functional>
#include <vector>

#include "dataloader/error.h"
#include "dataloader/storage/gcs/gcs_storage.h"
#include "tests/contract/storage_objects.h"
#include "tests/support/gcs/object_store_test_case.h"

namespace carrack::data {
namespace {

using std::chrono::milliseconds;
using tests::Answer;
using tests::Cut;
using tests::Ending;
using tests::ExpireUpload;
using tests::LoseReply;
using tests::LoseRequest;
using tests::Nth;
using tests::PersistAtMost;

const std::string object = "gs://bucket/a";
const std::string media = "alt=media";

class GcsFaults : public tests::ObjectStoreTest {
 protected:
  void SetUp() override {
    ObjectStoreTest::SetUp();
    if (proxy == nullptr) return;
    storage = make_storage([this](milliseconds time) {
      slept.push_back(time);
      if (between_tries) std::exchange(between_tries, nullptr)();
    });
    other = make_storage([](milliseconds) {});
  }

  std::unique_ptr<GcsStorage> make_storage(Sleeper sleep, RetryLimits retries = {}) const {
    return std::make_unique<GcsStorage>(
        GcsClientSettings{.endpoint = proxy->url(), .token = {}, .sleep = std::move(sleep), .retries = retries});
  }

  std::optional<ObjectStat> write_new(std::string_view content) const {
    const auto writer = storage->create(object, {.must_not_exist = true});
    writer->write(bytes_from(content));
    return writer->commit();
  }

  std::unique_ptr<GcsStorage> storage;
  std::unique_ptr<GcsStorage> other;  // Of another process.
  std::vector<milliseconds> slept;
  std::function<void()> between_tries;  // Runs once, when `storage` first waits.
};

std::string message_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST_F(GcsFaults, ReadsAreTriedAgainAfterLongerAndLongerWaits) {
  put(*storage, object, "content");
  proxy->set({0,
              {{"GET", media, Nth{{1}}, Answer{503, false}},
               {"GET", media, Nth{{2}}, Answer{429, false}},
               {"GET", media, Nth{{3}}, LoseReply{}},
               {"GET", media, Nth{{4}}, LoseRequest{}}}});
  EXPECT_EQ(content_of(*storage, object), "content");
  ASSERT_EQ(slept.size(), 4u);
  for (std::size_t i = 0; i < slept.size(); ++i) {
    const milliseconds due(20 << 2 * i);
    EXPECT_GE(slept[i], due / 2) << i;
    EXPECT_LE(slept[i], due) << i;
  }
  EXPECT_NE(slept[1], 2 * slept[0]);
}

TEST_F(GcsFaults, AListAndAStatAreTriedAgain) {
  const ObjectStat written = put(*storage, object, "content");
  proxy->set({0, {{"GET", "", Nth{{1, 3}}, Answer{500, false}}}});
  EXPECT_EQ(storage->stat(object), written);
  EXPECT_EQ(storage->list("gs://bucket/*"), (std::vector<Listed>{{object, written}}));
  EXPECT_EQ(slept.size(), 2u);
}

TEST_F(GcsFaults, GivesUpAfterTenTriesAndSaysSo) {
  proxy->set({0, {{"", "", tests::Always{}, Answer{503, false}}}});
  EXPECT_EQ(message_of([&] { storage->stat(object); }),
            "gs://bucket/a: gave up after 10 tries, the last one: HTTP 503: a fault of the test");
  EXPECT_EQ(message_of([&] { storage->replace_if(object, std::nullopt, {}); }),
            "gs://bucket/a: gave up after 10 tries, the last one: HTTP 503: a fault of the test");
  EXPECT_EQ(proxy->counters().requests, 20u);
}

// As if many read from a service in trouble: then each waits at once as long as it may, so that it is asked less.
TEST_F(GcsFaults, AfterAHundredFailedTriesNoneIsQuick) {
  proxy->set({0, {{"", "", tests::Always{}, Answer{503, false}}}});
  for (int i = 0; i < 12; ++i) EXPECT_THROW(storage->stat(object), Error);
  ASSERT_EQ(slept.size(), 12u * 9u);
  for (std::size_t i = 0; i < 90; i += 9) EXPECT_LE(slept[i], milliseconds(250)) << i;
  for (std::size_t i = 90; i < slept.size(); ++i) EXPECT_GE(slept[i], milliseconds(16'000)) << i;
  proxy->set({});
  slept.clear();
  for (int i = 0; i < 11; ++i) storage->stat(object);
  proxy->set({0, {{"GET", "", Nth{{1}}, Answer{503, false}}}});
  storage->stat(object);
  EXPECT_LE(slept.at(0), milliseconds(250));
}

TEST_F(GcsFaults, ABodyThatEndsEarlyIsContinuedWhereItEnded) {
  const std::string content = noise(300'000, 1);
  put(*storage, object, content);
  proxy->set({0, {{"GET", media, Nth{{1, 2, 3}}, Cut{60'000}}}});
  EXPECT_TRUE(content_of(*storage, object) == content);
  const tests::Counters counters = proxy->counters();
  EXPECT_EQ(counters.faults.at("cut"), 3u);
  EXPECT_LT(counters.bytes_sent, content.size() + 5'000);  // And the object's metadata.
}

TEST_F(GcsFaults, AnObjectReplacedBetweenTwoPartsOfAReadIsChanged) {
  put(*storage, object, noise(100'000, 1));
  proxy->set({0, {{"GET", media, Nth{{1}}, Cut{60'000}}}});
  between_tries = [&] { put(*other, object, noise(100'000, 2)); };
  Bytes into(100'000);
  const Slice slice{0, into};
  EXPECT_EQ(storage->read(object, {&slice, 1}, std::nullopt), ReadResult::changed);
}

TEST_F(GcsFaults, ReplaceIfKnowsItsOwnSuccessWhoseReplyWasLost) {
  for (const Ending& lost :
       {Ending(LoseReply{}), Ending(Answer{503, true}), Ending(LoseRequest{}), Ending(Answer{503, false})}) {
    const auto before = storage->latest(object);
    const std::string mine = "nonce " + std::to_string(lost.index()) + std::to_string(slept.size());
    proxy->set({0, {{"POST", "", Nth{{1}}, lost}}});
    const auto version =
        storage->replace_if(object, before ? std::optional(before->version) : std::nullopt, bytes_from(mine));
    ASSERT_TRUE(version) << mine;
    EXPECT_EQ(storage->latest(object), (Latest{bytes_from(mine), *version}));
  }
  EXPECT_EQ(slept.size(), 4u);
}

TEST_F(GcsFaults, ReplaceIfLosesToWhoeverWroteBetweenItsTries) {
  const auto before = storage->replace_if(object, std::nullopt, bytes_from("one"));
  proxy->set({0, {{"POST", "", Nth{{1}}, LoseRequest{}}}});
  std::optional<Version> theirs;
  between_tries = [&] { theirs = other->replace_if(object, before, bytes_from("theirs")); };
  EXPECT_EQ(storage->replace_if(object, before, bytes_from("mine")), std::nullopt);
  ASSERT_TRUE(theirs);
  EXPECT_EQ(storage->latest(object), (Latest{bytes_from("theirs"), *theirs}));
}

TEST_F(GcsFaults, ReplaceIfThatWasOvertakenBeforeItKnewIsLost) {
  const auto before = storage->replace_if(object, std::nullopt, bytes_from("one"));
  proxy->set({0, {{"POST", "", Nth{{1}}, LoseReply{}}}});
  between_tries = [&] {
    const auto mine = other->latest(object);
    EXPECT_EQ(text_from(mine->bytes), "mine");
    EXPECT_TRUE(other->replace_if(object, mine->version, bytes_from("theirs")));
  };
  EXPECT_EQ(storage->replace_if(object, before, bytes_from("mine")), std::nullopt);
  EXPECT_EQ(text_from(storage->latest(object)->bytes), "theirs");
}

TEST_F(GcsFaults, AnUploadGoesOnFromWhatTheServerHasStored) {
  const std::string content = noise(5'000'000, 1);
  proxy->set({0,
              {{"PUT", "", Nth{{1, 2, 3}}, PersistAtMost{700'000}},
               {"PUT", "", Nth{{4}}, PersistAtMost{0}},
               {"PUT", "", Nth{{5}}, LoseReply{}}}});
  ASSERT_TRUE(write_new(content));
  EXPECT_EQ(proxy->counters().faults.at("persist"), 4u);
  EXPECT_TRUE(content_of(*storage, object) == content);
}

TEST_F(GcsFaults, AnUploadThatStoresNothingIsGivenUp) {
  proxy->set({0, {{"PUT", "", tests::Always{}, PersistAtMost{0}}}});
  EXPECT_EQ(message_of([&] { write_new("content"); }), "gs://bucket/a: gave up after 10 tries, the last one: HTTP 308");
  EXPECT_EQ(storage->stat(object), std::nullopt);
}

TEST_F(GcsFaults, ChunksOfALongUploadAreTriedAgain) {
  const std::string content = noise(20'000'000, 1);
  proxy->set({0,
              {{"PUT", "", Nth{{1}}, LoseRequest{}},
               {"PUT", "", Nth{{4}}, LoseReply{}},
               {"PUT", "", Nth{{6}}, Answer{503, true}},
               {"PUT", "", Nth{{7}}, Answer{503, false}}}});
  ASSERT_TRUE(write_new(content));
  EXPECT_TRUE(content_of(*storage, object) == content);
}

TEST_F(GcsFaults, ANewObjectWhoseLastReplyWasLostIsOurs) {
  proxy->set({0, {{"PUT", "", Nth{{1}}, LoseReply{}}}});
  const auto written = write_new("content");
  ASSERT_TRUE(written);
  EXPECT_EQ(written, storage->stat(object));
  EXPECT_EQ(slept.size(), 1u);
}

TEST_F(GcsFaults, ANewObjectWhoseLastReplyAndSessionAreLostIsOurs) {
  proxy->set({0, {{"PUT", "", Nth{{1}}, LoseReply{}}, {"PUT", "", Nth{{2}}, ExpireUpload{410}}}});
  const auto written = write_new("content");
  ASSERT_TRUE(written);
  EXPECT_EQ(written, storage->stat(object));
}

TEST_F(GcsFaults, AnUploadWhoseSessionExpiresStartsAgainWhileNothingIsStored) {
  proxy->set({0, {{"PUT", "", Nth{{1}}, LoseRequest{}}, {"PUT", "", Nth{{2}}, ExpireUpload{404}}}});
  const auto written = write_new("content");
  ASSERT_TRUE(written);
  EXPECT_EQ(written, storage->stat(object));
  EXPECT_EQ(content_of(*storage, object), "content");
}

TEST_F(GcsFaults, ANewObjectThatSomebodyWroteBetweenTheTriesIsLost) {
  proxy->set({0, {{"PUT", "", Nth{{1}}, LoseRequest{}}}});
  between_tries = [&] { put(*other, object, "theirs"); };
  EXPECT_EQ(write_new("mine"), std::nullopt);
  EXPECT_EQ(content_of(*storage, object), "theirs");
}

TEST_F(GcsFaults, AnUploadThatExpiresInItsMiddleIsAnErrorAndLeavesNothing) {
  proxy->set({0, {{"PUT", "", Nth{{2}}, ExpireUpload{410}}}});
  EXPECT_EQ(message_of([&] { write_new(noise(20'000'000, 1)); }),
            "gs://bucket/a: the upload expired after 8388608 bytes; write the object again");
  EXPECT_EQ(storage->stat(object), std::nullopt);
}

TEST_F(GcsFaults, ARemovalIsDoneOnceThoughItsReplyWasLost) {
  put(*storage, object, "old");
  proxy->set({0, {{"DELETE", "", Nth{{1}}, LoseReply{}}}});
  between_tries = [&] { put(*other, object, "new"); };
  EXPECT_TRUE(storage->remove(object));
  EXPECT_EQ(content_of(*storage, object), "new");
}

TEST_F(GcsFaults, AMissingBucketIsAnErrorThatNamesIt) {
  EXPECT_EQ(message_of([&] { storage->list("gs://missing/x*"); }),
            "gs://missing/x*: HTTP 404: Not Found; check that the bucket exists");
  EXPECT_EQ(message_of([&] { storage->replace_if("gs://missing/HEAD", std::nullopt, {}); }),
            "gs://missing/HEAD: HTTP 404: Not Found; check that the bucket exists");
}

// Each change appends a word of its own; so what a writer was told it has won must be in the last state, once.
TEST_F(GcsFaults, InAStormOfFaultsNoWonChangeIsLost) {
  constexpr int writers = 4;
  constexpr int changes = 25;
  proxy->set({7,
              {{"", "", tests::Share{0.1}, Answer{503, false}},
               {"", "", tests::Share{0.1}, Answer{503, true}},
               {"", "", tests::Share{0.1}, LoseReply{}},
               {"", "", tests::Share{0.05}, LoseRequest{}},
               {"GET", media, tests::Share{0.1}, Cut{3}}}});
  std::vector<std::vector<std::string>> won(writers);
  const auto write = [&](std::size_t writer) {
    const auto mine = make_storage([](milliseconds) {}, {.tries = 50});  // None is given up by chance.
    for (int change = 0; change < changes; ++change) {
      const auto before = mine->latest(object);
      const std::string word = std::to_string(writer) + "." + std::to_string(change) + " ";
      const std::string after = (before ? text_from(before->bytes) : "") + word;
      const auto expected = before ? std::optional(before->version) : std::nullopt;
      if (mine->replace_if(object, expected, bytes_from(after))) won[writer].push_back(word);
    }
  };
  {
    std::vector<std::jthread> threads;
    for (std::size_t writer = 0; writer < writers; ++writer) threads.emplace_back(write, writer);
  }
  proxy->set({});
  const std::string last = " " + text_from(storage->latest(object)->bytes);
  std::size_t words_won = 0;
  for (const auto& words : won) {
    for (const std::string& word : words) EXPECT_EQ(last.find(" " + word), last.rfind(" " + word)) << word;
    for (const std::string& word : words) EXPECT_NE(last.find(" " + word), std::string::npos) << word;
    words_won += words.size();
  }
  EXPECT_GT(words_won, 10u);
}

}  // namespace
}  // namespace carrack::data
