// Indexes that cannot be used, and places that cannot be read or written: the log says so, and all goes on.
#include <gtest/gtest.h>

#include <random>

#include "tests/dataloader/indexes/data_set.h"

namespace carrack::data {
namespace {

using Lines = std::vector<std::string>;

struct Bad {
  const char* name;
  std::string (*of)(std::string good);
  const char* why;
};

std::string of_an_older_version(std::string good) {
  Index index = std::get<Index>(index_from(bytes_from(good)));
  ObjectStat file = index.file();
  file.version.text += "0";
  std::vector<std::uint64_t> offsets;
  for (std::uint64_t i = 0; i < index.records(); ++i) offsets.push_back(index.at(i).offset);
  return text_from(encode(Index(file, offsets, index.contents())));
}

const Bad bads[] = {
    {"Stale", of_an_older_version, "it is that of another version of its file"},
    {"Flipped", [](std::string good) { return good[50] ^= 1, good; }, "it does not match its checksum"},
    {"Cut", [](std::string good) { return good.substr(0, good.size() - 1); }, "it does not match its checksum"},
    {"Empty", [](std::string) { return std::string(); }, "it is not an index, or one of another version"},
    {"OfAnotherFormat", [](std::string good) { return good[7] = '2', good; },
     "it is not an index, or one of another version"},
    {"Text", [](std::string) { return std::string("0 27\n"); }, "it is not an index, or one of another version"},
    {"Endless", [](std::string) { return std::string(8000, 'x'); }, "it is longer than an index of its file can be"},
};

class BadIndexes : public DataSet, public testing::WithParamInterface<Bad> {
 protected:
  BadIndexes() : DataSet(1) {}
  std::string passed_over(const std::string& url) { return "passes over an index: " + url + ": " + GetParam().why; }
};

TEST_P(BadIndexes, AreIgnoredBesideTheDataAndNotRemoved) {
  const std::string bad = GetParam().of(encoded(0));
  put(storage, data(0) + ".index", bad);
  found(how());
  EXPECT_EQ(taken_log(), Lines{passed_over(data(0) + ".index")});
  EXPECT_EQ(content_of(storage, data(0) + ".index"), bad);
}

TEST_P(BadIndexes, AreReplacedInFoldersOfJobs) {
  for (const std::string place : {"shared", "cache"}) put(storage, in(place, 0), GetParam().of(encoded(0)));
  found(how());
  EXPECT_EQ(taken_log(), (Lines{passed_over(in("shared", 0)), passed_over(in("cache", 0))}));
  for (const std::string place : {"shared", "cache"}) EXPECT_EQ(content_of(storage, in(place, 0)), encoded(0)) << place;
  found(how());
  EXPECT_EQ(taken_log(), Lines{});
}

INSTANTIATE_TEST_SUITE_P(All, BadIndexes, testing::ValuesIn(bads),
                         [](const auto& instance) { return std::string(instance.param.name); });

// A stream whose last 32 KiB are never worth the bytes that they would take in an index, so no record has a place near
// it at which the file can be inflated.
std::string packed_far_apart(std::size_t size, Compression compression = Compression::gzip) {
  std::mt19937 random(1);
  std::string data(30'000 - frame::overhead, ' ');
  for (char& letter : data) letter = static_cast<char>(random());
  Bytes plain;
  while (plain.size() < size) frame::append(plain, wire::bytes_of(data));
  return text_from(compressed(plain, compression));
}

class SlowFiles : public DataSet {
 protected:
  SlowFiles() : DataSet(3) {}
};

TEST_F(SlowFiles, AreNamedOnceAtEachStart) {
  put(storage, data(1), packed_far_apart(35 << 20));
  const std::string line =
      ": slow to shuffle, as up to 35 MiB are inflated for one record; `carrack data convert "
      "--compression GZIP` writes files that are not";
  for (int start = 0; start < 2; ++start) {
    found(how());
    EXPECT_EQ(taken_log(), Lines{data(1) + line});
  }
  put(storage, data(2), packed_far_apart(34 << 20, Compression::zlib));
  found(how());
  EXPECT_EQ(taken_log().back(), data(1) + " and 1 other file" + line);
}

TEST_F(SlowFiles, AreNotThoseThatAreSmall) {
  put(storage, data(1), packed_far_apart(20 << 20));
  found(how());
  EXPECT_EQ(taken_log(), Lines{});
}

class Places : public DataSet {
 protected:
  Places() : DataSet(2) {}
};

TEST_F(Places, MayBeUnwritable) {
  storage.unwritable = folder.path() + "/shared";
  found(how());
  EXPECT_EQ(taken_log(),
            Lines{"keeps no index in " + folder.path() + "/shared/: " + folder.path() + "/shared: cannot be written"});
  for (int file = 0; file < 2; ++file) storage.take_reads(data(file));
  found(how());  // They are in the cache.
  for (int file = 0; file < 2; ++file) EXPECT_EQ(storage.take_reads(data(file)), 0);
}

TEST_F(Places, CountAsEmptyIfTheyCannotBeListed) {
  found(how());
  storage.unlistable = folder.path() + "/shared";
  found(how());
  EXPECT_EQ(taken_log(), Lines{"looks for no index in " + folder.path() + "/shared/: " + folder.path() +
                               "/shared: cannot be listed"});
}

TEST_F(Places, BesideTheDataMayBeUnlistable) {
  storage.unlistable = folder.path() + "/data/x-*.index";
  found(how());
  EXPECT_EQ(taken_log().front(),
            "does not look for indexes next to the data: " + folder.path() + "/data/x-*.index: cannot be listed");
}

TEST_F(Places, AreSkippedIfTheirIndexCannotBeRead) {
  put(storage, data(0) + ".index", encoded(0));
  storage.unreadable = data(0) + ".index";
  found(how());
  EXPECT_EQ(taken_log(), Lines{"passes over an index: " + data(0) + ".index: cannot be read"});
}

}  // namespace
}  // namespace carrack::data
