// A watchdog whose seconds are milliseconds.
#include "trainer/loop/roles/watchdog.h"

#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace carrack::train {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// What a watchdog reports, which any thread may wait for.
class Reports {
 public:
  void add(const std::string& report) {
    const MutexLock lock(mutex_);
    all_.push_back(report);
    changed_.notify_all();
  }
  // Waits for the first report, for ten seconds at most.
  std::optional<std::string> first() {
    const auto end = std::chrono::steady_clock::now() + seconds(10);
    MutexLock lock(mutex_);
    while (all_.empty() && changed_.wait_until(lock, end) == std::cv_status::no_timeout) continue;
    return all_.empty() ? std::nullopt : std::optional(all_.front());
  }
  std::size_t count() {
    const MutexLock lock(mutex_);
    return all_.size();
  }

 private:
  Mutex mutex_;
  ConditionVariable changed_;
  std::vector<std::string> all_ GUARDED_BY(mutex_);
};

class AWatchdog : public testing::Test {
 protected:
  Reports reports_;
  Watchdog watchdog_{[this](const std::string& report) { reports_.add(report); }, milliseconds(1)};
};

TEST_F(AWatchdog, ReportsWorkThatDoesNotEnd) {
  const Watchdog::Work ended(watchdog_, {"the handling of messages", seconds(3600)});
  const Watchdog::Work work(watchdog_, {"saving to gs://bucket/job", seconds(20), "check the bucket"});
  EXPECT_EQ(reports_.first(), "saving to gs://bucket/job has not ended within 20 s; check the bucket");
}

TEST_F(AWatchdog, ReportsWithoutAdvice) {
  const Watchdog::Work work(watchdog_, {"the handling of messages", seconds(20)});
  EXPECT_EQ(reports_.first(), "the handling of messages has not ended within 20 s");
}

TEST_F(AWatchdog, ReportsOnce) {
  const Watchdog::Work first(watchdog_, {"one", seconds(20)}), second(watchdog_, {"two", seconds(20)});
  ASSERT_TRUE(reports_.first());
  std::this_thread::sleep_for(milliseconds(60));
  EXPECT_EQ(reports_.count(), 1U);
}

// Counting is late on a machine that is busy, but never early.
TEST_F(AWatchdog, WaitsForTheWholeTime) {
  const auto began = std::chrono::steady_clock::now();
  const Watchdog::Work work(watchdog_, {"one", seconds(50)});
  ASSERT_TRUE(reports_.first());
  EXPECT_GE(std::chrono::steady_clock::now() - began, milliseconds(49));
}

TEST_F(AWatchdog, ReportsNoWorkThatHasEnded) {
  for (int i = 0; i < 20; ++i) {
    const Watchdog::Work work(watchdog_, {"short", seconds(2000)});
    std::this_thread::sleep_for(milliseconds(5));
  }
  std::this_thread::sleep_for(milliseconds(20));
  EXPECT_EQ(reports_.count(), 0U);
}

TEST_F(AWatchdog, ReportsNoWorkThatWasEndedBeforeItsDestruction) {
  Watchdog::Work work(watchdog_, {"start", seconds(20)});
  work.end();
  work.goes_on();
  std::this_thread::sleep_for(milliseconds(60));
  EXPECT_EQ(reports_.count(), 0U);
}

TEST_F(AWatchdog, CountsFromTheLastTimeThatWorkWentOn) {
  const auto began = std::chrono::steady_clock::now();
  Watchdog::Work work(watchdog_, {"loop", seconds(1000)});
  while (std::chrono::steady_clock::now() < began + seconds(3)) work.goes_on();
  EXPECT_EQ(reports_.count(), 0U);
  EXPECT_EQ(reports_.first(), "loop has not ended within 1000 s");
}

TEST(Limits, AreLongerForMoreBytes) {
  EXPECT_EQ(limit_of_large_files("saving", 0).time, std::chrono::minutes(15));
  EXPECT_EQ(limit_of_large_files("saving", std::uint64_t{1} << 30).time, std::chrono::minutes(15) + seconds(1024));
  EXPECT_EQ(limit_of_large_files("saving", 0).work, "saving");
}

}  // namespace
}  // namespace carrack::train
