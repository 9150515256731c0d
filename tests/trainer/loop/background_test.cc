#include "trainer/loop/roles/background.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <stdexcept>
#include <thread>

namespace carrack::train {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

void run(Event& event) {
  std::get<Task>(event).run();
}

TEST(Inbox, HandsOverAllThatIsThere) {
  Inbox inbox;
  int handled = 0;
  for (int i = 0; i < 1000; ++i) inbox.put(Task{[&] { ++handled; }});
  inbox.handle_all(Clock::now() + std::chrono::seconds(10), run);
  EXPECT_EQ(handled, 1000);
}

TEST(Inbox, EndsATurnThoughEventsComeWithoutEnd) {
  Inbox inbox;
  std::function<void()> again = [&] { inbox.put(Task{again}); };
  again();
  const auto began = Clock::now();
  inbox.handle_all(began + milliseconds(20), run);
  EXPECT_GE(Clock::now() - began, milliseconds(20));
  EXPECT_LT(Clock::now() - began, std::chrono::seconds(2));
}

TEST(Inbox, HandsOverOneThoughTheTurnIsOver) {
  Inbox inbox;
  int handled = 0;
  for (int i = 0; i < 2; ++i) inbox.put(Task{[&] { ++handled; }});
  inbox.handle_all(Clock::now() - milliseconds(1), run);
  EXPECT_EQ(handled, 1);
}

TEST(InboxGroup, WaitsForTheEventsOfEachOfItsInboxes) {
  const auto group = std::make_shared<InboxGroup>();
  Inbox one(group), other(group);
  for (Inbox* inbox : {&one, &other}) {
    const std::jthread puts([inbox] {
      std::this_thread::sleep_for(milliseconds(10));
      inbox->put(Task{});
    });
    const auto began = Clock::now();
    group->wait_until(began + std::chrono::seconds(10));
    EXPECT_LT(Clock::now() - began, std::chrono::seconds(9));
    EXPECT_EQ(inbox->take_all().size(), 1U);
    EXPECT_TRUE(inbox->take_all().empty());
  }
  const auto began = Clock::now();
  group->wait_until(began + milliseconds(10));
  EXPECT_GE(Clock::now() - began, milliseconds(10)) << "all events are taken";
}

TEST(InboxGroup, DoesNotWaitWhereAnEventIsLeft) {
  const auto group = std::make_shared<InboxGroup>();
  Inbox one(group), other(group);
  one.put(Task{});
  other.put(Task{});
  EXPECT_TRUE(one.next(Clock::now()));
  const auto began = Clock::now();
  group->wait_until(began + std::chrono::seconds(10));
  EXPECT_LT(Clock::now() - began, std::chrono::seconds(9));
}

TEST(InboxGroup, WaitsAfterAnInboxWithAnEventIsDestroyed) {
  const auto group = std::make_shared<InboxGroup>();
  Inbox(group).put(Task{});
  const auto began = Clock::now();
  group->wait_until(began + milliseconds(10));
  EXPECT_GE(Clock::now() - began, milliseconds(10));
}

TEST(Background, FollowsWithWhatAJobGaveAndThrowsWhatItThrew) {
  Inbox inbox;
  Background background(inbox);
  int followed = 0;
  background.run([&]() -> std::function<void()> { return [&] { ++followed; }; });
  background.run([]() -> std::function<void()> { throw std::runtime_error("storage"); });
  const auto wait = Clock::now() + std::chrono::seconds(10);
  std::get<Task>(*inbox.next(wait)).run();
  EXPECT_EQ(followed, 1);
  EXPECT_THROW(std::get<Task>(*inbox.next(wait)).run(), std::runtime_error);
}

TEST(RepeatedJob, IsNeverDoneTwiceAtOnceHoweverLongItTakes) {
  Inbox inbox;
  std::atomic<bool> held = true;
  std::atomic<int> begun = 0;
  Background background(inbox);
  Repeated looks(background, milliseconds(1), [&]() -> std::function<void()> {
    ++begun;
    while (held) std::this_thread::sleep_for(milliseconds(1));
    return [] {};
  });
  for (const auto end = Clock::now() + milliseconds(100); Clock::now() < end;) looks.begin_if_due(Clock::now());
  EXPECT_EQ(begun, 1);
  held = false;
  const auto wait = Clock::now() + std::chrono::seconds(10);
  std::get<Task>(*inbox.next(wait)).run();
  EXPECT_FALSE(inbox.next(Clock::now() + milliseconds(20))) << "they have piled up";
  looks.begin_if_due(Clock::now() + milliseconds(1));
  std::get<Task>(*inbox.next(wait)).run();
  EXPECT_EQ(begun, 2);
}

}  // namespace
}  // namespace carrack::train
