#include "trainer/library/exchange.h"

#include <gtest/gtest.h>

#include <future>
#include <memory>
#include <string>
#include <variant>

#include "trainer/error.h"

namespace carrack::train {
namespace {

using Clock = Exchange::Clock;

constexpr auto long_enough = std::chrono::seconds(60);
constexpr auto moment = std::chrono::milliseconds(20);

// A batch of so many rows.
StepRows batch(std::uint64_t step, std::size_t rows) {
  auto batch = std::make_shared<data::Batch>();
  batch->rows.count = rows;
  return {step, batch, {0, rows}};
}

// What the role gets for a batch, on a thread of its own.
std::future<RowGradients::Sum> offered(Exchange& exchange, std::uint64_t step) {
  return std::async(std::launch::async, [&exchange, step] {
    return exchange.sum_over(batch(step, 3), std::make_shared<const Floats>(2, 5.0f));
  });
}

std::string error_of(std::future<RowGradients::Sum>& sum) {
  try {
    sum.get();
  } catch (const Error& error) {
    EXPECT_EQ(error.blame(), Blame::platform);
    return error.what();
  }
  return "none";
}

TEST(Exchange, HandsRowsToTheProgramAndItsSumsToTheRole) {
  Exchange exchange(long_enough);
  for (std::uint64_t step = 0; step < 3; ++step) {
    auto sum = offered(exchange, step);
    auto found = exchange.next(Clock::now() + long_enough);
    auto work = std::get<Exchange::Work>(found);
    EXPECT_EQ(work.rows.step, step);
    EXPECT_EQ(work.rows.rows.size(), 3u);
    EXPECT_EQ(*work.parameters, (Floats{5, 5}));
    EXPECT_EQ(*work.gradient, (Floats{0, 0}));
    (*work.gradient)[1] = 7;
    exchange.push(2.5);
    const RowGradients::Sum back = sum.get();
    EXPECT_EQ(back.gradient, work.gradient);
    EXPECT_EQ(*back.gradient, (Floats{0, 7}));
    EXPECT_EQ(back.loss, 2.5);
  }
}

TEST(Exchange, GivesNothingWhileThereIsNoBatch) {
  Exchange exchange(long_enough);
  EXPECT_TRUE(std::holds_alternative<Exchange::Nothing>(exchange.next(Clock::now() + moment)));
}

TEST(Exchange, GivesTheEndAgainAndAgain) {
  Exchange exchange(long_enough);
  EXPECT_FALSE(exchange.end({Exit::user_error, "why"}));
  for (int i = 0; i < 2; ++i) {
    const auto ended = std::get<Exchange::Ended>(exchange.next(Clock::now() + long_enough));
    EXPECT_EQ(ended.exit, Exit::user_error);
    EXPECT_EQ(ended.text, "why");
  }
}

TEST(Exchange, TakesAProgramToHangThatDoesNotPush) {
  Exchange exchange(std::chrono::seconds(1));
  auto sum = offered(exchange, 0);
  const auto work = std::get<Exchange::Work>(exchange.next(Clock::now() + long_enough));
  EXPECT_EQ(error_of(sum),
            "the program has not pushed the gradients of a batch within 1 s, so it is taken to hang; if a batch takes "
            "longer, raise step_seconds");
  EXPECT_TRUE(exchange.end({Exit::platform_error, "it hung"}));
  EXPECT_FALSE(exchange.wait_until_noticed(moment));
  exchange.push(1);  // Late, and without effect.
  EXPECT_TRUE(exchange.wait_until_noticed(moment));
  EXPECT_EQ(*work.parameters, (Floats{5, 5}));
}

TEST(Exchange, TakesAProgramToHangThatAsksForNoBatch) {
  Exchange exchange(std::chrono::seconds(0));
  auto sum = offered(exchange, 0);
  EXPECT_NE(error_of(sum), "none");
}

TEST(Exchange, LetsTheRoleEndWhileTheProgramComputes) {
  Exchange exchange(long_enough);
  auto sum = offered(exchange, 0);
  const auto work = std::get<Exchange::Work>(exchange.next(Clock::now() + long_enough));
  exchange.stop();
  EXPECT_EQ(error_of(sum), "the worker has ended while it waited for gradients");
  EXPECT_FALSE(exchange.end({Exit::succeeded, ""}));
  (*work.gradient)[0] = 1;  // The memory is still the program's.
  exchange.push(1);
  EXPECT_EQ(std::get<Exchange::Ended>(exchange.next(Clock::now())).exit, Exit::succeeded);
}

// The role may still take a while, and say that the job is done.
TEST(Exchange, GivesNoWorkToAProgramThatHasLeft) {
  Exchange exchange(long_enough);
  auto found = std::async(std::launch::async, [&] { return exchange.next(Clock::now() + long_enough); });
  exchange.leave();
  EXPECT_EQ(std::get<Exchange::Ended>(found.get()).exit, Exit::drained);
  EXPECT_FALSE(exchange.ended());
  EXPECT_FALSE(exchange.end({Exit::succeeded, ""}));
  EXPECT_EQ(std::get<Exchange::Ended>(exchange.next(Clock::now())).exit, Exit::drained) << "as before";
  EXPECT_EQ(exchange.ended()->exit, Exit::succeeded);
}

TEST(Exchange, ReturnsTheEndOfTheRoleToTheFirstNextAfterIt) {
  Exchange exchange(long_enough);
  exchange.leave();
  EXPECT_FALSE(exchange.end({Exit::succeeded, ""}));
  EXPECT_EQ(std::get<Exchange::Ended>(exchange.next(Clock::now())).exit, Exit::succeeded);
}

TEST(Exchange, TakesAProgramToBeWellThatLeavesAfterItsTime) {
  Exchange exchange(std::chrono::seconds(0));
  auto sum = offered(exchange, 0);
  EXPECT_NE(error_of(sum), "none");
  EXPECT_TRUE(exchange.end({Exit::platform_error, "it hung"}));
  exchange.leave();
  EXPECT_TRUE(exchange.wait_until_noticed(moment));
}

TEST(Exchange, ComputesNothingForARoleOnceTheProgramHasLeft) {
  Exchange exchange(long_enough);
  auto waiting = offered(exchange, 0);
  exchange.next(Clock::now() + long_enough);
  exchange.leave();
  EXPECT_THROW(waiting.get(), Exchange::ProgramLeft);
  auto later = offered(exchange, 1);
  EXPECT_THROW(later.get(), Exchange::ProgramLeft);
}

}  // namespace
}  // namespace carrack::train
