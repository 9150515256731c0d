#include "operator/runtime/queue.h"

#include <gtest/gtest.h>

namespace carrack::control {
namespace {

using std::chrono::milliseconds;

constexpr Instant noon{std::chrono::hours(12)};

TEST(Queue, GivesNothingBeforeItIsDue) {
  Queue queue;
  EXPECT_EQ(queue.take(noon), std::nullopt);
  queue.add("a", noon + milliseconds(5));
  EXPECT_EQ(queue.take(noon), std::nullopt);
  EXPECT_EQ(queue.next_due(), noon + milliseconds(5));
  EXPECT_EQ(queue.take(noon + milliseconds(5)), "a");
  EXPECT_EQ(queue.next_due(), std::nullopt);
}

TEST(Queue, HoldsAJobOnceAtTheSoonerTime) {
  Queue queue;
  queue.add("a", noon + milliseconds(9));
  queue.add("a", noon + milliseconds(1));
  queue.add("a", noon + milliseconds(5));
  EXPECT_EQ(queue.take(noon + milliseconds(1)), "a");
  EXPECT_EQ(queue.take(noon + milliseconds(99)), std::nullopt);
}

TEST(Queue, GivesTheJobThatHasBeenDueLongest) {
  Queue queue;
  queue.add("b", noon);
  queue.add("c", noon - milliseconds(1));
  queue.add("a", noon);
  EXPECT_EQ(queue.take(noon), "c");
  EXPECT_EQ(queue.take(noon), "a");
  EXPECT_EQ(queue.take(noon), "b");
}

TEST(Queue, WaitsTwiceAsLongAfterEachFailureUntilASuccess) {
  Queue queue;
  for (const int pause : {100, 200, 400}) {
    queue.add_failed("a", noon);
    EXPECT_EQ(queue.next_due(), noon + milliseconds(pause));
    queue.take(noon + milliseconds(pause));
  }
  queue.succeeded("a");
  queue.add_failed("a", noon);
  EXPECT_EQ(queue.next_due(), noon + milliseconds(100));
  EXPECT_EQ(retry_delay(1'000'000), milliseconds(60'000));
}

// What a job does itself wakes it: where that is refusal again and again, it must not be tried without rest.
TEST(Queue, LetsNothingShortenThePauseAfterAFailure) {
  Queue queue;
  queue.add("a", noon + milliseconds(1));
  queue.add_failed("a", noon);
  queue.add("a", noon + milliseconds(1));
  EXPECT_EQ(queue.next_due(), noon + milliseconds(100));
  EXPECT_EQ(queue.take(noon + milliseconds(100)), "a");
  queue.succeeded("a");
  queue.add("a", noon);
  EXPECT_EQ(queue.next_due(), noon);
}

}  // namespace
}  // namespace carrack::control
