// An upload that replaces what is there does so once: what came after the first time would be lost.
#include <gtest/gtest.h>

#include <functional>
#include <utility>

#include "dataloader/error.h"
#include "dataloader/storage/gcs/gcs_storage.h"
#include "tests/contract/storage_objects.h"
#include "tests/support/gcs/object_store_test_case.h"

namespace carrack::data {
namespace {

using tests::ExpireUpload;
using tests::LoseReply;
using tests::LoseRequest;
using tests::Nth;

const std::string object = "gs://bucket/a";

class GcsOverwrite : public tests::ObjectStoreTest {
 protected:
  void SetUp() override {
    ObjectStoreTest::SetUp();
    if (proxy == nullptr) return;
    const auto storage_with = [this](Sleeper sleep) {
      return std::make_unique<GcsStorage>(
          GcsClientSettings{.endpoint = proxy->url(), .token = {}, .sleep = std::move(sleep), .retries = {}});
    };
    storage = storage_with([this](std::chrono::milliseconds) {
      if (between_tries) std::exchange(between_tries, nullptr)();
    });
    other = storage_with([](std::chrono::milliseconds) {});
  }

  std::unique_ptr<GcsStorage> storage;
  std::unique_ptr<GcsStorage> other;    // Of another process.
  std::function<void()> between_tries;  // Runs once, when `storage` first waits.
};

TEST_F(GcsOverwrite, AReplacementIsNotWrittenAgainOverWhatCameAfterIt) {
  put(*storage, object, "old");
  proxy->set({0, {{"PUT", "", Nth{{1}}, LoseReply{}}, {"PUT", "", Nth{{3}}, ExpireUpload{410}}}});
  between_tries = [&] { put(*other, object, "newer"); };
  try {
    put(*storage, object, "mine");
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(
        error.what(),
        "gs://bucket/a: the storage lost the upload, and it is unknown whether the object that is there now is "
        "newer; look at the object, and write it again if it should be this one");
  }
  EXPECT_EQ(content_of(*storage, object), "newer");
}

TEST_F(GcsOverwrite, AReplacementThatNeverArrivedAndWhoseObjectIsGoneIsWritten) {
  proxy->set({0, {{"PUT", "", Nth{{1}}, LoseRequest{}}, {"PUT", "", Nth{{2}}, ExpireUpload{410}}}});
  put(*storage, object, "mine");
  EXPECT_EQ(content_of(*storage, object), "mine");
}

}  // namespace
}  // namespace carrack::data
