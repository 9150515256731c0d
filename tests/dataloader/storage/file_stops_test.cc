// A writer of files killed, or stopped while others go on, before and after each of its system calls.
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <iostream>
#include <memory>
#include <set>
#include <string>

#include "dataloader/storage/file/file_storage.h"
#include "tests/contract/storage_objects.h"
#include "tests/dataloader/storage/temporary_folder.h"
#include "tests/dataloader/storage/traced_child.h"

namespace carrack::data {
namespace {

enum Exit { won = 0, lost = 1 };

struct Place {
  TemporaryFolder folder;
  FileStorage storage{1};
  std::string head = folder.path() + "/HEAD";
  std::string object = folder.path() + "/object";

  std::set<std::string> names() const {
    std::set<std::string> found;
    for (const auto& entry : std::filesystem::directory_iterator(folder.path())) found.insert(entry.path().filename());
    return found;
  }
};

std::function<int()> replace(const std::string& head, const std::optional<Version>& expected) {
  return [=] { return FileStorage(2).replace_if(head, expected, bytes_from("of the child")) ? won : lost; };
}

std::optional<Version> two_versions(Place& place) {
  const auto first = place.storage.replace_if(place.head, std::nullopt, bytes_from("first"));
  return place.storage.replace_if(place.head, first, bytes_from("second"));
}

// Starts the child anew for each of its stops, hands it over stopped there, and gives the number of stops.
int at_each_stop(const std::function<std::function<int()>(Place&)>& start,
                 const std::function<void(Place&, std::unique_ptr<TracedChild>)>& then) {
  for (int stop = 1;; ++stop) {
    SCOPED_TRACE(stop);
    Place place;
    auto child = std::make_unique<TracedChild>(start(place));
    if (!child->step(stop)) return stop - 1;
    then(place, std::move(child));
  }
}

std::function<int()> replace_second(Place& place) {
  return replace(place.head, two_versions(place));
}

TEST(AWriterKilledInReplaceIf, LeavesTheOldOrTheNewAndNobodyInTheWay) {
  std::set<std::string> left;
  const int stops = at_each_stop(replace_second, [&](Place& place, std::unique_ptr<TracedChild> child) {
    child.reset();
    const auto latest = place.storage.latest(place.head);
    ASSERT_TRUE(latest);
    left.insert(text_from(latest->bytes));
    ASSERT_TRUE(place.storage.replace_if(place.head, latest->version, bytes_from("next")));
    EXPECT_EQ(text_from(place.storage.latest(place.head)->bytes), "next");
    EXPECT_EQ(place.names().size(), 1u) << *place.names().begin();
  });
  EXPECT_EQ(left, (std::set<std::string>{"of the child", "second"}));
  EXPECT_GT(stops, 20);
  std::cout << "killed at " << stops << " stops\n";
}

// The others commit `commits` times, so that with more than one the number that the child aims at has come and gone.
void stop_at_each_call(int commits) {
  int lost_ones = 0;
  const int stops = at_each_stop(replace_second, [&](Place& place, std::unique_ptr<TracedChild> child) {
    const Version before{"2"};
    auto ours = place.storage.replace_if(place.head, before, bytes_from("of the other"));
    if (!ours) {  // The child has won, though it does not know yet.
      EXPECT_EQ(text_from(place.storage.latest(place.head)->bytes), "of the child");
      EXPECT_EQ(child->finish(), won);
      EXPECT_EQ(text_from(place.storage.latest(place.head)->bytes), "of the child");
      return;
    }
    for (int i = 1; i < commits; ++i) ours = place.storage.replace_if(place.head, ours, bytes_from("of the other"));
    EXPECT_EQ(child->finish(), lost);
    EXPECT_EQ(place.storage.latest(place.head), (Latest{bytes_from("of the other"), *ours}));
    EXPECT_EQ(place.names(), std::set<std::string>{"HEAD." + ours->text});
    ++lost_ones;
  });
  EXPECT_GT(lost_ones, 10);
  EXPECT_LT(lost_ones, stops);
  std::cout << "stopped at " << stops << " stops, lost at " << lost_ones << '\n';
}

TEST(AWriterStoppedInReplaceIf, HasLostWhenAnotherCommitted) {
  stop_at_each_call(1);
}
TEST(AWriterStoppedInReplaceIf, HasLostWhenOthersCommittedTwice) {
  stop_at_each_call(2);
}
TEST(AWriterStoppedInReplaceIf, HasLostWhenOthersCommittedFiveTimes) {
  stop_at_each_call(5);
}

// Where the child won, but others have built on it while it was stopped, it must not disturb them when it goes on.
TEST(AWriterStoppedInReplaceIf, DisturbsNobodyWhoBuiltOnWhatItWon) {
  at_each_stop(replace_second, [](Place& place, std::unique_ptr<TracedChild> child) {
    const std::optional<Latest> latest = place.storage.latest(place.head);
    std::optional<Version> ours = latest->version;
    for (int i = 0; i < 3; ++i) ours = place.storage.replace_if(place.head, ours, bytes_from("of the other"));
    EXPECT_EQ(child->finish(), text_from(latest->bytes) == "of the child" ? won : lost);
    EXPECT_EQ(place.storage.latest(place.head), (Latest{bytes_from("of the other"), *ours}));
  });
}

std::function<int()> create(const std::string& url, CreateOptions options) {
  return [=] {
    const auto writer = FileStorage(2).create(url, options);
    for (int i = 0; i < 3; ++i) writer->write(bytes_from("new "));
    return writer->commit() ? won : lost;
  };
}

TEST(AWriterKilledInCreate, LeavesTheOldObjectOrAllOfTheNewAndNothingBesideForLong) {
  for (const bool must_not_exist : {false, true}) {
    std::set<std::string> left;
    const auto start = [&](Place& place) {
      if (!must_not_exist) put(place.storage, place.object, "old");
      return create(place.object, {.must_not_exist = must_not_exist});
    };
    const int stops = at_each_stop(start, [&](Place& place, std::unique_ptr<TracedChild> child) {
      child.reset();
      const auto bytes = read_whole(place.storage, place.object);
      left.insert(bytes ? text_from(*bytes) : "nothing");
      EXPECT_EQ(place.storage.list(place.folder.path() + "/**").size(), bytes ? 1u : 0u);
      put(place.storage, place.object, "next");
      EXPECT_EQ(place.names(), std::set<std::string>{"object"});
    });
    EXPECT_EQ(left, (std::set<std::string>{must_not_exist ? "nothing" : "old", "new new new "}));
    EXPECT_GT(stops, 10);
  }
}

TEST(AWriterStoppedInCreate, GoesOnWhateverOthersRemoved) {
  const auto start = [](Place& place) { return create(place.object, {}); };
  at_each_stop(start, [](Place& place, std::unique_ptr<TracedChild> child) {
    put(place.storage, place.folder.path() + "/other", "of the other");
    EXPECT_EQ(child->finish(), won);
    EXPECT_EQ(content_of(place.storage, place.object), "new new new ");
    EXPECT_EQ(place.names(), (std::set<std::string>{"object", "other"}));
  });
}

}  // namespace
}  // namespace carrack::data
