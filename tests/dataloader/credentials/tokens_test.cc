// One token for many threads, with a clock that the test moves and a service that it plays.
#include "dataloader/credentials/tokens.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <latch>
#include <thread>
#include <vector>

#include "dataloader/error.h"

namespace carrack::data {
namespace {

using std::chrono::seconds;

class TokensTest : public testing::Test {
 protected:
  Tokens tokens(std::uint64_t seed = 0) {
    return Tokens(
        [this] {
          ++asked;
          return answer();
        },
        [this] { return Moment(seconds(now.load())); }, seed);
  }

  // "1", "2", ... of an hour each.
  std::function<Token()> answer = [this] { return Token{std::to_string(asked.load()), seconds(3600)}; };
  std::atomic<int> asked = 0;
  std::atomic<int> now = 1'800'000'000;
};

std::string outcome(Tokens& tokens, const std::string& refused = "") {
  try {
    return tokens.token(refused);
  } catch (const Refused& error) {
    return std::string("refused: ") + error.what();
  } catch (const Error& error) {
    return std::string("error: ") + error.what();
  }
}

TEST_F(TokensTest, OneIsKeptUntilItIsDue) {
  Tokens kept = tokens();
  EXPECT_EQ(asked, 0) << "before anybody needs one";
  EXPECT_EQ(outcome(kept), "1");
  now += 3600 - 301;
  EXPECT_EQ(outcome(kept), "1");
  now += 301 - 239;
  EXPECT_EQ(outcome(kept), "2") << "before its end";
  EXPECT_EQ(outcome(kept), "2");
}

TEST_F(TokensTest, WhenItIsDueDiffersFromProcessToProcess) {
  std::vector<int> due;
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    now = 0;
    asked = 0;
    Tokens kept = tokens(seed);
    while (outcome(kept) == "1") ++now;
    due.push_back(3600 - now);
  }
  std::sort(due.begin(), due.end());
  EXPECT_GE(due.front(), 240);
  EXPECT_LE(due.back(), 300);
  EXPECT_GT(due.back() - due.front(), 10);
}

TEST_F(TokensTest, OneThatDoesNotLiveLongIsKeptForHalfOfIt) {
  answer = [this] { return Token{std::to_string(asked.load()), seconds(260)}; };
  Tokens kept = tokens();
  EXPECT_EQ(outcome(kept), "1");
  now += 129;
  EXPECT_EQ(outcome(kept), "1");
  now += 1;
  EXPECT_EQ(outcome(kept), "2");
}

TEST_F(TokensTest, OneThatIsRefusedIsAskedForAnewByTheFirstWhoSaysSo) {
  Tokens kept = tokens();
  EXPECT_EQ(outcome(kept), "1");
  EXPECT_EQ(outcome(kept, "1"), "2");
  EXPECT_EQ(outcome(kept, "1"), "2") << "who was refused the old one takes the new one";
  EXPECT_EQ(asked, 2);
}

TEST_F(TokensTest, WhereThereIsNoOtherTheSameIsGivenAgain) {
  answer = [] { return Token{"same", seconds(3600)}; };
  Tokens kept = tokens();
  EXPECT_EQ(outcome(kept), "same");
  EXPECT_EQ(outcome(kept, "same"), "same");
  EXPECT_EQ(asked, 2);
}

TEST_F(TokensTest, AClockThatJumpsBringsNoOldToken) {
  Tokens kept = tokens();
  EXPECT_EQ(outcome(kept), "1");
  now += 1'000'000;
  EXPECT_EQ(outcome(kept), "2") << "forward";
  now -= 2'000'000;
  EXPECT_EQ(outcome(kept), "3") << "back: nobody knows how long it lives";
  EXPECT_EQ(outcome(kept), "3");
}

TEST_F(TokensTest, WhatAskingThrowsIsThrown) {
  Tokens kept = tokens();
  answer = []() -> Token { throw Refused("never"); };
  EXPECT_EQ(outcome(kept), "refused: never");
  answer = []() -> Token { throw Error("not now"); };
  EXPECT_EQ(outcome(kept), "error: not now");
  answer = []() -> Token { throw std::runtime_error("a bug"); };
  EXPECT_EQ(outcome(kept), "error: a bug");
  answer = [] { return Token{"at last", seconds(60)}; };
  EXPECT_EQ(outcome(kept), "at last");
}

TEST_F(TokensTest, OneThatCannotBeRenewedIsUsedToItsEnd) {
  Tokens kept = tokens();
  EXPECT_EQ(outcome(kept), "1");
  answer = []() -> Token { throw Refused("never"); };
  now += 3600 - 200;
  EXPECT_EQ(outcome(kept), "1");
  EXPECT_EQ(outcome(kept), "1");
  EXPECT_EQ(asked, 2) << "not with every request";
  now += 30;
  EXPECT_EQ(outcome(kept), "1");
  EXPECT_EQ(asked, 3);
  EXPECT_EQ(outcome(kept, "1"), "refused: never") << "it is of no use";
  now += 170;
  EXPECT_EQ(outcome(kept), "refused: never");
}

// What each of 16 threads gets, all of them at once.
std::vector<std::string> at_once(Tokens& tokens, const std::string& refused) {
  constexpr int many = 16;
  std::latch begin(many);
  std::vector<std::string> got(many);
  std::vector<std::jthread> threads;
  for (std::string& mine : got) {
    threads.emplace_back([&] {
      begin.arrive_and_wait();
      mine = outcome(tokens, refused);
    });
  }
  threads.clear();
  return got;
}

TEST_F(TokensTest, ManyThreadsCauseOneRequest) {
  const auto slow = [this] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    return Token{std::to_string(asked.load()), seconds(3600)};
  };
  answer = slow;
  Tokens kept = tokens();
  EXPECT_EQ(at_once(kept, ""), std::vector<std::string>(16, "1"));
  EXPECT_EQ(at_once(kept, "1"), std::vector<std::string>(16, "2"));
  now += 4000;
  EXPECT_EQ(at_once(kept, ""), std::vector<std::string>(16, "3"));
  EXPECT_EQ(asked, 3);
}

TEST_F(TokensTest, ManyThreadsAreToldOfOneFailure) {
  answer = []() -> Token {
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    throw Refused("never");
  };
  Tokens kept = tokens();
  EXPECT_EQ(at_once(kept, ""), std::vector<std::string>(16, "refused: never"));
  EXPECT_EQ(asked, 1);
}

TEST_F(TokensTest, WhileOneThreadRenewsTheOthersDoNotWait) {
  Tokens kept = tokens();
  EXPECT_EQ(outcome(kept), "1");
  now += 3600 - 100;
  std::latch asking(1);
  std::latch others_are_done(1);
  answer = [&] {
    asking.count_down();
    others_are_done.wait();
    return Token{"2", seconds(3600)};
  };
  std::jthread renews([&] { EXPECT_EQ(outcome(kept), "2"); });
  asking.wait();
  EXPECT_EQ(outcome(kept), "1");
  others_are_done.count_down();
  renews.join();
  EXPECT_EQ(outcome(kept), "2");
}

}  // namespace
}  // namespace carrack::data
