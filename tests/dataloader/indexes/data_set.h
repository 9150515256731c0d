// A data set of a few files, the places where its indexes may lie, and a storage that counts what is read and written
// and refuses what it is told to.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "dataloader/error.h"
#include "dataloader/indexes/index_name.h"
#include "dataloader/indexes/indexed_files.h"
#include "dataloader/storage/file/file_storage.h"
#include "tests/contract/storage_objects.h"
#include "tests/dataloader/records/files.h"
#include "tests/dataloader/storage/temporary_folder.h"

namespace carrack::data {

class CountingStorage final : public FileStorage {
 public:
  using FileStorage::FileStorage;

  std::vector<Listed> list(const std::string& pattern) override {
    if (pattern.starts_with(unlistable)) throw Error(unlistable + ": cannot be listed");
    return FileStorage::list(pattern);
  }
  ReadResult read(const std::string& url, std::span<const Slice> slices,
                  const std::optional<Version>& version) override {
    {
      const std::lock_guard lock(mutex_);
      ++reads_[url];
    }
    if (unreadable == url) throw Error(url + ": cannot be read");
    return FileStorage::read(url, slices, version);
  }
  std::unique_ptr<ObjectWriter> create(const std::string& url, CreateOptions options) override {
    {
      const std::lock_guard lock(mutex_);
      writes_.insert(url);
    }
    if (url.starts_with(unwritable)) throw Error(unwritable + ": cannot be written");
    return FileStorage::create(url, options);
  }

  // How often, and forgets it.
  int take_reads(const std::string& url) {
    const std::lock_guard lock(mutex_);
    return std::exchange(reads_[url], 0);
  }
  std::multiset<std::string> take_writes() {
    const std::lock_guard lock(mutex_);
    return std::exchange(writes_, {});
  }

  // What these begin; `none` begins nothing.
  static constexpr const char* none = "?";
  std::string unlistable = none, unwritable = none;
  std::string unreadable = none;

 private:
  std::mutex mutex_;
  std::map<std::string, int> reads_;
  std::multiset<std::string> writes_;
};

class DataSet : public testing::Test {
 protected:
  // Files of one record and more, each with others.
  explicit DataSet(int files = 3) {
    for (int i = 0; i < files; ++i) {
      Bytes file;
      for (int record = 0; record <= i; ++record)
        frame::append(file, bytes_from("record " + std::to_string(record) + " of " + std::to_string(i)));
      put(storage, data(i), text_from(file));
    }
    storage.take_writes();
  }

  std::string data(int file) const {
    const std::string number = std::to_string(file);
    return folder.path() + "/data/x-" + std::string(3 - number.size(), '0') + number;
  }
  std::string in(const std::string& place, int file) const {
    return folder.path() + "/" + place + "/" + index_name(data(file));
  }

  IndexingOptions how() {
    return {.shared = folder.path() + "/shared",
            .cache = folder.path() + "/cache",
            .share = {},
            .log = [this](const std::string& line) {
              const std::lock_guard lock(mutex_);
              log_.push_back(line);
            }};
  }

  std::vector<DataFile> files() { return data_files(storage, folder.path() + "/data/x-*", how().log); }

  std::variant<std::vector<IndexedFile>, Corrupt> indexed(const IndexingOptions& as) {
    return indexed_files([this](const std::string&) -> Storage& { return storage; }, files(), as);
  }

  // Has them found or built, whatever they are: they are always those that the files themselves give.
  void found(const IndexingOptions& as) {
    const auto all = indexed(as);
    std::vector<Index> indexes;
    for (const IndexedFile& file : std::get<std::vector<IndexedFile>>(all)) indexes.push_back(file.index);
    EXPECT_EQ(indexes, made());
  }
  std::vector<Index> made() {
    FileStorage apart(1);
    std::vector<Index> indexes;
    for (const DataFile& one : files())
      indexes.push_back(std::get<Index>(build_index(StoredObject(apart, one.file.url, one.file.stat))));
    return indexes;
  }
  std::string encoded(int file) { return text_from(encode(made().at(static_cast<std::size_t>(file)))); }

  std::vector<std::string> taken_log() { return std::exchange(log_, {}); }

  const TemporaryFolder folder;
  CountingStorage storage{7};

 private:
  std::mutex mutex_;
  std::vector<std::string> log_;
};

}  // namespace carrack::data
