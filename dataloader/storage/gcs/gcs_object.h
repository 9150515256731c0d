// One state of one object while it is read by many requests: all of the same generation, the first reply's if none was
// named. For many threads.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>

#include "dataloader/http/request.h"
#include "dataloader/storage/storage.h"

namespace carrack::data {

class GcsObject {
 public:
  // `target` is the object's in the JSON API.
  GcsObject(std::string url, std::string target, std::optional<Version> version)
      : url_(std::move(url)), target_(std::move(target)), version_(std::move(version)) {}

  const std::string& url() const { return url_; }
  bool is_pinned() const;
  // As far as a reply told.
  std::optional<std::uint64_t> size() const;

  // For the bytes from `first` on, `size` of them.
  HttpRequest request_for(std::uint64_t first, std::uint64_t size) const;
  // Takes in the head of a reply that brings bytes; throws Error unless they are those from `first` on. False where it
  // is of another version than one before it, as two requests may get that were sent before any was known.
  bool take_head(const HttpReply& reply, std::uint64_t first);
  // All of the object came in one reply.
  void take_size(std::uint64_t size);
  // Throws Error for a reply that nobody expected; nothing for one after which trying again may help.
  std::optional<ReadResult> refusal(const HttpReply& reply) const;

  // Whether these, the bytes of all of it, have another checksum than it has. Not where none is known.
  bool is_damaged(std::uint64_t size, std::uint32_t crc32c) const;
  [[noreturn]] void throw_damaged(int readings) const;

 private:
  const std::string url_;
  const std::string target_;
  mutable std::mutex mutex_;  // Guards what follows.
  std::optional<Version> version_;
  std::optional<std::uint64_t> size_;
  std::optional<std::string> crc32c_;
};

}  // namespace carrack::data
