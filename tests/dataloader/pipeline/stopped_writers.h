// Who writes to a storage is stopped, or killed, before or after any of its commits.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dataloader/storage/storage.h"

namespace carrack::data {

// Another storage, and somebody who is called before and after each commit to it.
class WatchedStorage final : public Storage {
 public:
  WatchedStorage(Storage& storage, std::function<void()> at) : storage_(storage), at_(std::move(at)) {}

  bool is_remote() const override { return storage_.is_remote(); }
  std::optional<ObjectStat> stat(const std::string& url) override { return storage_.stat(url); }
  std::vector<Listed> list(const std::string& pattern) override { return storage_.list(pattern); }
  ReadResult read(const std::string& url, std::span<const Slice> slices,
                  const std::optional<Version>& version) override {
    return storage_.read(url, slices, version);
  }
  std::unique_ptr<ObjectWriter> create(const std::string& url, CreateOptions options) override {
    return std::make_unique<Writer>(storage_.create(url, options), at_);
  }
  bool remove(const std::string& url) override { return storage_.remove(url); }
  std::optional<Latest> latest(const std::string& url) override { return storage_.latest(url); }
  std::optional<Version> replace_if(const std::string& url, const std::optional<Version>& expected,
                                    std::span<const std::byte> bytes) override {
    return storage_.replace_if(url, expected, bytes);
  }

 private:
  class Writer final : public ObjectWriter {
   public:
    Writer(std::unique_ptr<ObjectWriter> of, const std::function<void()>& at) : of_(std::move(of)), at_(at) {}
    void write(std::span<const std::byte> bytes) override { of_->write(bytes); }
    std::optional<ObjectStat> commit() override {
      at_();
      const auto stat = of_->commit();
      at_();
      return stat;
    }

   private:
    std::unique_ptr<ObjectWriter> of_;
    const std::function<void()>& at_;
  };

  Storage& storage_;
  const std::function<void()> at_;
};

struct Killed {};

inline std::function<void()> stop_at(int point, std::function<void()> stop) {
  return [point, stop = std::move(stop), at = 0]() mutable {
    if (++at == point) stop();
  };
}

inline std::map<std::string, ObjectStat> objects_in(Storage& storage, const std::string& folder) {
  std::map<std::string, ObjectStat> objects;
  for (const Listed& one : storage.list(folder + "/**")) objects.emplace(one.url, one.stat);
  return objects;
}

// A process of its own, which does that.
inline pid_t started(const std::function<void()>& action) {
  const pid_t child = fork();
  if (child > 0) return child;
  try {
    action();
  } catch (...) {
    _exit(1);
  }
  _exit(0);
}

// Waits for it; false where it was killed.
inline bool has_ended(pid_t child) {
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status) || WEXITSTATUS(status) == 0);
  return WIFEXITED(status);
}

}  // namespace carrack::data
