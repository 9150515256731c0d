#include "operator/runtime/progress_poller.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <thread>

#include "tests/support/gcs/connection.h"

namespace carrack::control {
namespace {

using std::chrono::seconds;

const std::string uid = "1b4e28ba";
constexpr train::Fence fence{0, 1};

// One that answers everybody, or, where it has nothing to say, nobody.
class Coordinator {
 public:
  explicit Coordinator(std::string fields = "") : fields_(std::move(fields)), thread_([this] { serve(); }) {}
  ~Coordinator() { sockets_.shut(); }

  ProgressSource source() const { return {uid, fence, "127.0.0.1:" + std::to_string(listener_.port())}; }
  int times_asked() const { return asked_; }

  void tell(const std::string& fields) {
    const std::lock_guard lock(mutex_);
    fields_ = fields;
  }

 private:
  void serve() {
    std::vector<std::unique_ptr<tests::Connection>> open;
    while (const auto socket = listener_.accept()) {
      auto connection = std::make_unique<tests::Connection>(*socket, sockets_);
      connection->read_head();
      ++asked_;
      const std::lock_guard lock(mutex_);
      if (fields_.empty()) {
        open.push_back(std::move(connection));
      } else {
        connection->write("HTTP/1.1 200 OK\r\n\r\n{\"job\":\"" + uid + "\",\"attempt\":0,\"incarnation\":1," + fields_ +
                          "}");
      }
    }
  }

  std::atomic<int> asked_ = 0;
  std::mutex mutex_;
  std::string fields_;
  tests::OpenSockets sockets_;
  tests::Listener listener_{{"127.0.0.1", 0}, sockets_};
  std::jthread thread_;
};

std::string with_commit(int step) {
  const std::string number = std::to_string(step);
  return "\"step\":" + number + ",\"checkpoint\":{\"step\":" + number + ",\"manifest\":\"of-" + number + "\"}";
}

class Polling : public testing::Test {
 protected:
  bool within(seconds limit, const std::function<bool()>& holds) const {
    const auto deadline = std::chrono::steady_clock::now() + limit;
    while (!holds() && std::chrono::steady_clock::now() < deadline) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return holds();
  }

  std::int64_t step() const {
    const auto report = poller_.report_of("line", uid);
    return report ? report->progress.step : -1;
  }

  std::atomic<int> news_ = 0;
  ProgressPoller poller_{[this](const std::string&) { ++news_; }};
};

TEST_F(Polling, TellsOfEveryCommitAtOnceAndOfTheRestNowAndThen) {
  Coordinator coordinator(with_commit(20));
  poller_.follow("line", coordinator.source());
  ASSERT_TRUE(within(seconds(10), [&] { return news_ == 1; }));
  EXPECT_EQ(poller_.report_of("line", uid)->last_checkpoint, (LastCheckpoint{20, "of-20"}));
  EXPECT_EQ(poller_.report_of("line", uid)->fence, fence);
  coordinator.tell(with_commit(40));
  ASSERT_TRUE(within(seconds(10), [&] { return news_ == 2; }));
  const int asked = coordinator.times_asked();
  ASSERT_TRUE(within(seconds(10), [&] { return coordinator.times_asked() == asked + 2; }));
  EXPECT_EQ(news_, 2) << "nothing is new";
}

TEST_F(Polling, TellsOfStepsAloneEveryFewSecondsAndOfACommitAtOnce) {
  Coordinator coordinator("\"step\":1");
  poller_.follow("line", coordinator.source());
  ASSERT_TRUE(within(seconds(10), [&] { return news_ == 1; }));
  const auto told_at = std::chrono::steady_clock::now();
  coordinator.tell("\"step\":2");
  ASSERT_TRUE(within(seconds(10), [&] { return news_ == 2; }));
  EXPECT_GT(std::chrono::steady_clock::now() - told_at, seconds(4));
  coordinator.tell(with_commit(2));
  ASSERT_TRUE(within(seconds(3), [&] { return news_ == 3; }));
}

TEST_F(Polling, TellsOfACoordinatorThatBecomesUnreachableAndOfTheReportThatEndsIt) {
  std::atomic<int> news = 0;
  ProgressPoller poller([&](const std::string&) { ++news; }, seconds(3));
  Coordinator coordinator;
  poller.follow("line", coordinator.source());
  ASSERT_TRUE(within(seconds(20), [&] { return poller.is_unreachable("line", uid); }));
  EXPECT_FALSE(poller.is_unreachable("line", "another"));
  EXPECT_TRUE(within(seconds(5), [&] { return news == 1; }));
  coordinator.tell(with_commit(20));
  ASSERT_TRUE(within(seconds(40), [&] { return !poller.is_unreachable("line", uid); }));
  EXPECT_EQ(poller.report_of("line", uid)->progress.step, 20);
  EXPECT_TRUE(within(seconds(5), [&] { return news == 2; }));
}

TEST_F(Polling, SaysHowLongAgoTheReportWasRead) {
  Coordinator coordinator(with_commit(20));
  EXPECT_EQ(poller_.report_age("line", uid), seconds(0)) << "nothing is followed";
  poller_.follow("line", coordinator.source());
  ASSERT_TRUE(within(seconds(10), [&] { return step() == 20; }));
  coordinator.tell("");
  ASSERT_TRUE(within(seconds(20), [&] { return poller_.report_age("line", uid) >= seconds(5); }));
  EXPECT_EQ(step(), 20);
  EXPECT_EQ(poller_.report_age("line", "another"), seconds(0));
  coordinator.tell(with_commit(40));
  ASSERT_TRUE(within(seconds(40), [&] { return step() == 40; }));
  EXPECT_LT(poller_.report_age("line", uid), seconds(5));
}

TEST_F(Polling, KeepsWhatWasToldByOneThatIsLeftAndForgetsWithTheJob) {
  Coordinator coordinator(with_commit(20));
  poller_.follow("line", coordinator.source());
  ASSERT_TRUE(within(seconds(10), [&] { return step() == 20; }));
  poller_.unfollow("line");
  EXPECT_EQ(step(), 20);
  EXPECT_EQ(poller_.report_of("line", "another"), std::nullopt);
  poller_.forget("line");
  EXPECT_EQ(step(), -1);
}

TEST_F(Polling, KnowsNothingOfANewJobOfTheSameName) {
  Coordinator coordinator(with_commit(20));
  poller_.follow("line", coordinator.source());
  ASSERT_TRUE(within(seconds(10), [&] { return step() == 20; }));
  poller_.follow("line", {"another", fence, coordinator.source().address});
  EXPECT_EQ(poller_.report_of("line", uid), std::nullopt);
  const int asked = coordinator.times_asked();
  ASSERT_TRUE(within(seconds(10), [&] { return coordinator.times_asked() > asked + 1; }));
  EXPECT_EQ(poller_.report_of("line", "another"), std::nullopt) << "who answers is not of that job";
}

// They take every thread for four seconds, once; were they asked again as soon as all others, it would be so for ever.
TEST_F(Polling, IsNotHeldUpByThoseThatNeverAnswer) {
  std::vector<std::unique_ptr<Coordinator>> silent;
  for (int n = 0; n < 8; ++n) {
    silent.push_back(std::make_unique<Coordinator>());
    poller_.follow("silent-" + std::to_string(n), silent.back()->source());
  }
  Coordinator coordinator(with_commit(20));
  poller_.follow("line", coordinator.source());
  EXPECT_TRUE(within(seconds(12), [&] { return coordinator.times_asked() == 4; })) << coordinator.times_asked();
}

}  // namespace
}  // namespace carrack::control
