// The part of the contract that is about several writers: compare-and-set, and what readers see meanwhile.
#include <atomic>
#include <barrier>
#include <thread>
#include <vector>

#include "dataloader/error.h"
#include "tests/contract/storage_contract.h"
#include "tests/contract/storage_objects.h"

namespace carrack::data {
namespace {

TEST_P(StorageContract, ReplaceIfCreatesWhereNothingIsExpected) {
  const auto version = storage().replace_if(url("HEAD"), std::nullopt, bytes_from("one"));
  ASSERT_TRUE(version);
  EXPECT_EQ(storage().latest(url("HEAD")), (Latest{bytes_from("one"), *version}));
  EXPECT_EQ(storage().replace_if(url("HEAD"), std::nullopt, bytes_from("two")), std::nullopt);
  EXPECT_EQ(storage().latest(url("HEAD")), (Latest{bytes_from("one"), *version}));
}

TEST_P(StorageContract, ReplaceIfLosesAgainstWhoeverWasFirst) {
  const auto one = storage().replace_if(url("HEAD"), std::nullopt, bytes_from("one"));
  const auto two = storage().replace_if(url("HEAD"), one, bytes_from("two"));
  ASSERT_TRUE(two);
  EXPECT_EQ(storage().replace_if(url("HEAD"), one, bytes_from("late")), std::nullopt);
  std::optional<Version> last = two;
  for (int i = 0; i < 20; ++i) {
    last = storage().replace_if(url("HEAD"), last, bytes_from("number " + std::to_string(i)));
    ASSERT_TRUE(last) << i;
    ASSERT_EQ(storage().replace_if(url("HEAD"), one, bytes_from("late")), std::nullopt) << i;
    ASSERT_EQ(storage().replace_if(url("HEAD"), std::nullopt, bytes_from("new")), std::nullopt) << i;
  }
  EXPECT_EQ(storage().latest(url("HEAD")), (Latest{bytes_from("number 19"), *last}));
}

TEST_P(StorageContract, ReplaceIfLosesWhereAVersionIsExpectedAndNothingIsThere) {
  const auto elsewhere = storage().replace_if(url("OTHER"), std::nullopt, bytes_from("one"));
  EXPECT_EQ(storage().replace_if(url("HEAD"), elsewhere, bytes_from("two")), std::nullopt);
  EXPECT_EQ(storage().latest(url("HEAD")), std::nullopt);
}

TEST_P(StorageContract, ReplaceIfTakesAnyBytesOfASmallObject) {
  const auto empty = storage().replace_if(url("HEAD"), std::nullopt, {});
  EXPECT_EQ(storage().latest(url("HEAD")), (Latest{{}, *empty}));
  const Bytes largest = bytes_from("--carrack\r\n" + noise(small_object_limit - 11, 3));
  const auto version = storage().replace_if(url("HEAD"), empty, largest);
  ASSERT_TRUE(version);
  EXPECT_TRUE(storage().latest(url("HEAD")) == (Latest{largest, *version}));
  try {
    storage().replace_if(url("HEAD"), version, Bytes(small_object_limit + 1));
    FAIL() << "was written";
  } catch (const Error& error) {
    const std::string said = error.what();
    EXPECT_EQ(said.substr(said.find("/HEAD: ")),
              "/HEAD: has 1048577 bytes, and what is changed by compare-and-set at most "
              "1048576; write it as an object of its own");
  }
}

TEST_P(StorageContract, ManyObjectsOfOneFolderAreReplacedApart) {
  const std::vector<std::string> names{"HEAD", "HEAD.1", "HEAD.x", "AHEAD", "HEAD.1.2"};
  std::vector<std::optional<Version>> versions(names.size());
  for (int round = 0; round < 4; ++round) {
    for (std::size_t i = 0; i < names.size(); ++i) {
      versions[i] = storage().replace_if(url(names[i]), versions[i], bytes_from(names[i] + std::to_string(round)));
      ASSERT_TRUE(versions[i]) << names[i] << round;
    }
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    EXPECT_EQ(storage().latest(url(names[i])), (Latest{bytes_from(names[i] + "3"), *versions[i]}));
  }
}

TEST_P(StorageContract, OfEightWritersExactlyOneWinsEachRound) {
  constexpr int writers = 8;
  constexpr int rounds = 30;
  std::optional<Version> present;  // Written by one thread between rounds.
  std::atomic<int> winners = 0;
  std::string winner;
  int rounds_with_one_winner = 0;
  std::barrier start(writers);
  std::barrier end(writers, [&]() noexcept {
    rounds_with_one_winner += winners == 1;
    winners = 0;
    const auto latest = storage().latest(url("HEAD"));
    EXPECT_EQ(text_from(latest.value().bytes), winner);
    present = latest->version;
  });
  const auto write = [&](int writer) {
    for (int round = 0; round < rounds; ++round) {
      const std::string mine = "round " + std::to_string(round) + " writer " + std::to_string(writer);
      start.arrive_and_wait();
      if (storage().replace_if(url("HEAD"), present, bytes_from(mine))) {
        ++winners;
        winner = mine;
      }
      end.arrive_and_wait();
    }
  };
  {
    std::vector<std::jthread> threads;
    for (int writer = 0; writer < writers; ++writer) threads.emplace_back(write, writer);
  }
  EXPECT_EQ(rounds_with_one_winner, rounds);
}

TEST_P(StorageContract, AReaderOfAReplacedObjectSeesOneOfItsStates) {
  constexpr int states = 40;
  const auto state = [](int i) { return std::string(300'000, static_cast<char>('a' + i % 26)); };
  put(storage(), url("a"), state(0));
  std::atomic<bool> written = false;
  std::jthread writer([&] {
    for (int i = 1; i < states; ++i) put(storage(), url("a"), state(i));
    written = true;
  });
  int reads = 0;
  while (!written || reads == 0) {
    const auto found = storage().stat(url("a"));
    ASSERT_TRUE(found);
    Bytes bytes(found->size);
    const std::vector<Slice> slices{{0, std::span(bytes).first(1000)}, {1000, std::span(bytes).subspan(1000)}};
    const ReadResult result = storage().read(url("a"), slices, std::nullopt);
    if (result == ReadResult::changed) continue;
    ASSERT_EQ(result, ReadResult::complete);
    ++reads;
    const std::string text = text_from(bytes);
    ASSERT_EQ(text.size(), 300'000u);
    ASSERT_EQ(text.find_first_not_of(text[0]), std::string::npos);
  }
}

TEST_P(StorageContract, AReaderOfWhatIsReplacedByCompareAndSetNeverGoesBack) {
  std::atomic<bool> written = false;
  std::optional<Version> version = storage().replace_if(url("HEAD"), std::nullopt, bytes_from("100"));
  std::jthread writer([&] {
    for (int i = 101; i < 200; ++i) version = storage().replace_if(url("HEAD"), version, bytes_from(std::to_string(i)));
    written = true;
  });
  std::string last = "100";
  while (!written) {
    const auto latest = storage().latest(url("HEAD"));
    ASSERT_TRUE(latest);
    const std::string text = text_from(latest->bytes);
    ASSERT_GE(text, last);
    last = text;
  }
  EXPECT_TRUE(version);
}

}  // namespace
}  // namespace carrack::data
