#include "operator/kube/view.h"

#include <gtest/gtest.h>

#include <random>

namespace carrack::control {
namespace {

using Numbers = View<int>;

WatchedObject<int> seen(const std::string& job, const std::string& name, Version version, int value = 0) {
  return {job, name, version, value};
}

TEST(View, GivesTheJobsThatAListConcernsAlsoThoseThatItNoLongerHolds) {
  Numbers view;
  EXPECT_EQ(view.replace({seen("a", "a-0", 3), seen("b", "b-0", 4)}, 10), (std::set<std::string>{"a", "b"}));
  EXPECT_EQ(view.replace({seen("b", "b-0", 4), seen("c", "c-0", 11)}, 12), (std::set<std::string>{"a", "b", "c"}));
  EXPECT_EQ(view.jobs(), (std::vector<std::string>{"b", "c"}));
}

TEST(View, IsAsNewAsTheNewestThatTheWatchBroughtOfAnyJob) {
  Numbers view;
  view.replace({}, 10);
  view.put(seen("a", "a-0", 12));
  EXPECT_EQ(view.version_of("b"), 12U);
  view.bookmark(15);
  EXPECT_EQ(view.version_of("a"), 15U);
}

TEST(View, DoesNotGoBackBehindWhatAJobWasAskedFor) {
  Numbers view;
  view.replace({seen("a", "a-0", 3)}, 10);
  view.replace_job("a", {seen("a", "a-1", 18, 1)}, 20);
  view.put(seen("a", "a-0", 14));  // deleted at 16, which the watch has still to bring
  view.put(seen("a", "a-1", 17, 0));
  EXPECT_EQ(view.objects_of("a").size(), 1U);
  EXPECT_EQ(view.objects_of("a").at("a-1").value, 1);
  EXPECT_EQ(view.version_of("a"), 20U);
  EXPECT_EQ(view.version_of("b"), 17U);
  view.replace({seen("a", "a-0", 14)}, 15);
  EXPECT_EQ(view.objects_of("a").at("a-1").value, 1);
}

TEST(View, TakesAnObjectFromTheJobThatItIsNoLongerOf) {
  Numbers view;
  view.replace({seen("a", "x", 3)}, 10);
  EXPECT_EQ(view.put(seen("b", "x", 11)), (std::set<std::string>{"a", "b"}));
  EXPECT_TRUE(view.objects_of("a").empty());
  EXPECT_EQ(view.erase("x", 12), (std::set<std::string>{"b"}));
  EXPECT_TRUE(view.objects_of("b").empty());
  EXPECT_EQ(view.erase("x", 13), (std::set<std::string>{}));
}

TEST(View, KeepsNothingOfJobsThatAreGone) {
  Numbers view;
  view.replace({}, 10);
  view.replace_job("a", {}, 20);
  view.put(seen("a", "a-0", 14));
  EXPECT_TRUE(view.objects_of("a").empty());
  EXPECT_EQ(view.version_of("a"), 20U);
  view.bookmark(21);
  view.put(seen("a", "a-0", 22));
  EXPECT_EQ(view.objects_of("a").size(), 1U);
}

// What was written, one version each; what a server would answer at any of them.
class History {
 public:
  struct Write {
    std::string job, name;
    std::optional<int> value;  // none: it was deleted
  };

  void write(std::mt19937& random) {
    const std::string job(1, static_cast<char>('a' + random() % 3));
    const std::string name = "x" + std::to_string(random() % 4);  // it may have been another job's
    const bool exists = at(now()).contains(name);
    const bool goes = exists && random() % 3 == 0;
    writes_.push_back({job, name, goes ? std::nullopt : std::optional(static_cast<int>(random() % 1000))});
  }
  Version now() const { return writes_.size(); }
  const Write& operator[](Version version) const { return writes_[version - 1]; }

  std::map<std::string, WatchedObject<int>> at(Version version) const {
    std::map<std::string, WatchedObject<int>> objects;
    for (Version v = 1; v <= version; ++v) {
      const Write& write = (*this)[v];
      objects.erase(write.name);
      if (write.value) objects[write.name] = seen(write.job, write.name, v, *write.value);
    }
    return objects;
  }

  std::vector<WatchedObject<int>> list(Version version, const std::string& job = "") const {
    std::vector<WatchedObject<int>> found;
    for (const auto& [name, one] : at(version)) {
      if (job.empty() || one.job == job) found.push_back(one);
    }
    return found;
  }

 private:
  std::vector<Write> writes_;
};

// However lists, lists of one job and events are mixed, what a view shows of a job is what there was at the version
// that it says.
TEST(View, ShowsOfEveryJobWhatThereWasAtTheVersionItSays) {
  for (std::uint32_t seed = 1; seed <= 300; ++seed) {
    std::mt19937 random(seed);
    History history;
    Numbers view;
    Version watched = 0;
    for (int n = 0; n < 100; ++n) {
      switch (random() % 6) {
        case 0:
        case 1:
          history.write(random);
          break;
        case 2:  // a list, perhaps an old one, and the watch goes on from there
          if (random() % 5 != 0) break;
          watched = std::max(watched, history.now() - random() % (history.now() - watched + 1));
          view.replace(history.list(watched), watched);
          break;
        case 3: {
          const std::string job(1, static_cast<char>('a' + random() % 3));
          view.replace_job(job, history.list(history.now(), job), history.now());
          break;
        }
        default:
          if (watched == history.now()) break;
          const History::Write& write = history[++watched];
          if (write.value) {
            view.put(seen(write.job, write.name, watched, *write.value));
          } else {
            view.erase(write.name, watched);
          }
      }
      for (const std::string job : {"a", "b", "c"}) {
        std::map<std::string, int> shown, expected;
        for (const auto& [name, one] : view.objects_of(job)) shown[name] = one.value;
        for (const WatchedObject<int>& one : history.list(view.version_of(job), job)) expected[one.name] = one.value;
        ASSERT_EQ(shown, expected) << "job " << job << ", seed " << seed << ", step " << n;
      }
    }
  }
}

}  // namespace
}  // namespace carrack::control
