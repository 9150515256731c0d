#include "tests/contract/storage_contract.h"

#include <gmock/gmock.h>

#include <vector>

#include "tests/contract/storage_objects.h"
#include "tests/support/gcs/object_store_test_case.h"

namespace carrack::data {

void StorageContract::SetUp() {
  if (!GetParam().program.empty()) tests::skip_unless_built(GetParam().program);
  if (IsSkipped() || HasFatalFailure()) return;
  place_ = GetParam().make();
}

namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> urls_of(const std::vector<Listed>& listed) {
  std::vector<std::string> urls;
  for (const Listed& one : listed) urls.push_back(one.url);
  return urls;
}

ReadResult read_one(Storage& storage, const std::string& url, std::uint64_t offset, Bytes& into,
                    const std::optional<Version>& version = std::nullopt) {
  const Slice slice{offset, into};
  return storage.read(url, {&slice, 1}, version);
}

TEST_P(StorageContract, AnAbsentObjectIsAbsentForEveryFunction) {
  Bytes into(1);
  EXPECT_EQ(storage().stat(url("none")), std::nullopt);
  EXPECT_EQ(read_one(storage(), url("none"), 0, into), ReadResult::absent);
  EXPECT_EQ(storage().read(url("none"), {}, std::nullopt), ReadResult::absent);
  EXPECT_EQ(read_whole(storage(), url("none")), std::nullopt);
  EXPECT_EQ(storage().latest(url("none")), std::nullopt);
  EXPECT_FALSE(storage().remove(url("none")));
  EXPECT_FALSE(storage().remove(url("no/such/folder")));
  EXPECT_THAT(storage().list(url("none")), IsEmpty());
  EXPECT_THAT(storage().list(url("no/such/folder/**")), IsEmpty());
}

TEST_P(StorageContract, WhatIsCommittedIsReadBack) {
  const ObjectStat committed = put(storage(), url("folder/that/is/new/a"), "content");
  EXPECT_EQ(committed.size, 7u);
  EXPECT_EQ(storage().stat(url("folder/that/is/new/a")), committed);
  EXPECT_EQ(content_of(storage(), url("folder/that/is/new/a")), "content");
  EXPECT_EQ(storage().stat(url("folder/that")), std::nullopt);
}

TEST_P(StorageContract, NothingIsSeenOfAnObjectThatIsNotCommitted) {
  const std::string piece = noise(9 << 20, 1);
  {
    const auto writer = storage().create(url("a"), {});
    writer->write(bytes_from(piece));
    Bytes into(1);
    EXPECT_EQ(storage().stat(url("a")), std::nullopt);
    EXPECT_EQ(read_one(storage(), url("a"), 0, into), ReadResult::absent);
    EXPECT_THAT(storage().list(url("**")), IsEmpty());
  }
  EXPECT_EQ(storage().stat(url("a")), std::nullopt);
  EXPECT_THAT(storage().list(url("**")), IsEmpty());
}

TEST_P(StorageContract, AnAbandonedReplacementLeavesTheObjectAsItWas) {
  const ObjectStat before = put(storage(), url("a"), "old");
  storage().create(url("a"), {})->write(bytes_from("new"));
  EXPECT_EQ(storage().stat(url("a")), before);
  EXPECT_EQ(content_of(storage(), url("a")), "old");
}

TEST_P(StorageContract, AnEmptyObjectIsAnObject) {
  const ObjectStat committed = put(storage(), url("empty"), "");
  EXPECT_EQ(committed.size, 0u);
  EXPECT_EQ(storage().stat(url("empty")), committed);
  EXPECT_EQ(content_of(storage(), url("empty")), "");
  EXPECT_EQ(storage().read(url("empty"), {}, committed.version), ReadResult::complete);
  EXPECT_EQ(urls_of(storage().list(url("*"))), std::vector{url("empty")});
  Bytes into(1);
  EXPECT_EQ(read_one(storage(), url("empty"), 0, into), ReadResult::past_end);
}

TEST_P(StorageContract, EachReplacementHasAVersionOfItsOwn) {
  ObjectStat before = put(storage(), url("a"), "content 0");
  for (int i = 1; i < 30; ++i) {
    const ObjectStat after = put(storage(), url("a"), "content " + std::to_string(i % 10));
    ASSERT_NE(after.version, before.version) << i;
    ASSERT_EQ(storage().stat(url("a")), after) << i;
    before = after;
  }
}

TEST_P(StorageContract, AnObjectThatMustNotExistAndDoesIsNotWritten) {
  const ObjectStat first = put(storage(), url("a"), "first");
  const auto writer = storage().create(url("a"), {.must_not_exist = true});
  writer->write(bytes_from("second"));
  EXPECT_EQ(writer->commit(), std::nullopt);
  EXPECT_EQ(storage().stat(url("a")), first);
  EXPECT_EQ(content_of(storage(), url("a")), "first");
}

TEST_P(StorageContract, OfTwoWritersOfAnObjectThatMustNotExistOneWins) {
  const auto one = storage().create(url("a"), {.must_not_exist = true});
  const auto two = storage().create(url("a"), {.must_not_exist = true});
  one->write(bytes_from("one"));
  two->write(bytes_from("two"));
  const auto won = two->commit();
  ASSERT_TRUE(won);
  EXPECT_EQ(one->commit(), std::nullopt);
  EXPECT_EQ(storage().stat(url("a")), won);
  EXPECT_EQ(content_of(storage(), url("a")), "two");
}

TEST_P(StorageContract, ReadsSlicesInAnyOrder) {
  put(storage(), url("a"), "0123456789");
  Bytes end(3), none(0), all(10), middle(4);
  const std::vector<Slice> slices{{7, end}, {3, none}, {0, all}, {2, middle}};
  EXPECT_EQ(storage().read(url("a"), slices, std::nullopt), ReadResult::complete);
  EXPECT_EQ(text_from(end), "789");
  EXPECT_EQ(text_from(all), "0123456789");
  EXPECT_EQ(text_from(middle), "2345");
}

TEST_P(StorageContract, ASliceBeyondTheEndIsPastTheEnd) {
  const ObjectStat committed = put(storage(), url("a"), "0123456789");
  Bytes into(4);
  EXPECT_EQ(read_one(storage(), url("a"), 6, into), ReadResult::complete);
  EXPECT_EQ(read_one(storage(), url("a"), 7, into), ReadResult::past_end);
  EXPECT_EQ(read_one(storage(), url("a"), 10, into, committed.version), ReadResult::past_end);
  EXPECT_EQ(read_one(storage(), url("a"), 1000, into), ReadResult::past_end);
  Bytes more(11);
  EXPECT_EQ(read_one(storage(), url("a"), 0, more), ReadResult::past_end);
}

TEST_P(StorageContract, AReadOfAVersionThatWasReplacedIsChanged) {
  const Version old = put(storage(), url("a"), "old").version;
  const Version present = put(storage(), url("a"), "new").version;
  Bytes into(3);
  EXPECT_EQ(read_one(storage(), url("a"), 0, into, old), ReadResult::changed);
  EXPECT_EQ(storage().read(url("a"), {}, old), ReadResult::changed);
  EXPECT_EQ(read_one(storage(), url("a"), 0, into, present), ReadResult::complete);
  EXPECT_EQ(text_from(into), "new");
  EXPECT_TRUE(storage().remove(url("a")));
  EXPECT_EQ(read_one(storage(), url("a"), 0, into, present), ReadResult::absent);
}

TEST_P(StorageContract, AReaderGivesAnObjectInTurn) {
  const std::string content = noise(3'000'003, 3);
  const ObjectStat committed = put(storage(), url("a"), content);
  const auto reader = storage().open(url("a"), committed);
  std::string got;
  for (std::size_t size = 1; got.size() < content.size(); size = size * 3 % 500'009) {
    Bytes piece(std::min(size, content.size() - got.size()));
    ASSERT_EQ(reader->read(piece), ReadResult::complete);
    got += text_from(piece);
  }
  EXPECT_TRUE(got == content);
  Bytes none(0), more(1);
  EXPECT_EQ(reader->read(none), ReadResult::complete);
  EXPECT_EQ(reader->read(more), ReadResult::past_end);
}

TEST_P(StorageContract, AReaderOfAnEmptyObjectIsAtItsEnd) {
  const auto reader = storage().open(url("empty"), put(storage(), url("empty"), ""));
  Bytes none(0), more(1);
  EXPECT_EQ(reader->read(none), ReadResult::complete);
  EXPECT_EQ(reader->read(more), ReadResult::past_end);
}

TEST_P(StorageContract, AReaderGivesNothingOfAnotherVersion) {
  const ObjectStat old = put(storage(), url("a"), "old");
  put(storage(), url("a"), "new");
  Bytes into(3);
  EXPECT_EQ(storage().open(url("a"), old)->read(into), ReadResult::changed);
  EXPECT_TRUE(storage().remove(url("a")));
  EXPECT_EQ(storage().open(url("a"), old)->read(into), ReadResult::absent);
}

TEST_P(StorageContract, NamesAreTakenLiterally) {
  const std::vector<std::string> names{"100% & more?",   "a b",   "folder/ümläut 日本",
                                       "plus+hash#=;,@", "x%20y", "~.-_()[]'\""};
  for (const std::string& name : names) put(storage(), url(name), "in " + name);
  std::vector<std::string> urls;
  for (const std::string& name : names) {
    EXPECT_EQ(content_of(storage(), url(name)), "in " + name);
    urls.push_back(url(name));
  }
  EXPECT_EQ(urls_of(storage().list(url("**"))), urls);
  EXPECT_EQ(urls_of(storage().list(url("folder/ümläut ??"))), std::vector{url("folder/ümläut 日本")});
  for (const std::string& name : names) EXPECT_TRUE(storage().remove(url(name)));
  EXPECT_THAT(storage().list(url("**")), IsEmpty());
}

TEST_P(StorageContract, ALargeObjectComesInOddPieces) {
  const std::string content = noise(20'000'003, 2);
  const auto writer = storage().create(url("large"), {.must_not_exist = true});
  for (std::size_t at = 0, size = 1; at < content.size(); at += size, size = size * 3 % 5'000'011) {
    writer->write(bytes_from(content.substr(at, size)));
  }
  ASSERT_EQ(writer->commit().value().size, content.size());
  EXPECT_TRUE(content_of(storage(), url("large")) == content);
  Bytes across(100'000);
  EXPECT_EQ(read_one(storage(), url("large"), 8'350'000, across), ReadResult::complete);
  EXPECT_TRUE(text_from(across) == content.substr(8'350'000, 100'000));
}

TEST_P(StorageContract, ListsWhatMatchesInOrder) {
  for (const char* name : {"b-2.rec", "b-10.rec", "b/c.rec", "b/d/c.rec", "a.rec", "b-2.rec.index"}) {
    put(storage(), url(name), name);
  }
  const auto listed = [&](const std::string& pattern) {
    std::vector<std::string> names = urls_of(storage().list(url(pattern)));
    for (std::string& name : names) name.erase(0, url("").size());
    return names;
  };
  EXPECT_THAT(listed("b-*.rec"), ElementsAre("b-10.rec", "b-2.rec"));
  EXPECT_THAT(listed("b-?.rec"), ElementsAre("b-2.rec"));
  EXPECT_THAT(listed("*.rec"), ElementsAre("a.rec", "b-10.rec", "b-2.rec"));
  EXPECT_THAT(listed("**.rec"), ElementsAre("a.rec", "b-10.rec", "b-2.rec", "b/c.rec", "b/d/c.rec"));
  EXPECT_THAT(listed("b/**"), ElementsAre("b/c.rec", "b/d/c.rec"));
  EXPECT_THAT(listed("b?c.rec"), IsEmpty());
  EXPECT_THAT(listed("*/c.rec"), ElementsAre("b/c.rec"));
  EXPECT_THAT(listed("*/*/c.rec"), ElementsAre("b/d/c.rec"));
  EXPECT_THAT(listed("a.rec"), ElementsAre("a.rec"));
  EXPECT_THAT(listed("b"), IsEmpty());
  EXPECT_EQ(storage().list(url("a.*")).at(0).stat, storage().stat(url("a.rec")));
}

TEST_P(StorageContract, ARemovedObjectIsAbsent) {
  put(storage(), url("a"), "content");
  EXPECT_TRUE(storage().remove(url("a")));
  EXPECT_EQ(storage().stat(url("a")), std::nullopt);
  EXPECT_FALSE(storage().remove(url("a")));
}

}  // namespace
}  // namespace carrack::data
