// RemoteObject: an object that is read by several HTTP range requests. It makes the requests and checks the replies, so
// that all of them read one version of the object: the requested version, or that of the first reply. It stores the
// version, size and checksum that the replies name. RangeFetch and the readers that make RangeFetches use it. Each
// storage derives a class that knows the service's URLs and headers, such as GcsObject. Safe for many threads.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "dataloader/http/request.h"
#include "dataloader/mutex.h"
#include "dataloader/storage/storage.h"

namespace carrack::data {

class RemoteObject {
 public:
  // `version` is the version to read; nullopt: that of the first reply.
  RemoteObject(std::string url, std::optional<Version> version) : url_(std::move(url)), version_(std::move(version)) {}
  virtual ~RemoteObject() = default;
  RemoteObject(const RemoteObject&) = delete;
  RemoteObject& operator=(const RemoteObject&) = delete;

  const std::string& url() const { return url_; }
  // True once it is known which version is read: from the start if one was requested, else after accept_head() of a
  // reply that names one.
  bool is_pinned() const;
  // Returns the size of the whole object in bytes; nullopt until a reply has named it.
  std::optional<std::uint64_t> size() const;

  // Returns the request for `size` bytes, at least one, from `first` on.
  HttpRequest range_request(std::uint64_t first, std::uint64_t size) const;
  // Call this with the head of each reply with bytes of the object, before you use the bytes. `first` is the offset
  // that was requested. Returns true if the bytes can be used. Returns false if they are of another version than the
  // requested one, or than that of an earlier reply: drop them then. Throws Error if they are not the bytes from
  // `first` on; a reply without a Content-Range begins at byte 0.
  bool accept_head(const HttpReply& reply, std::uint64_t first);
  // Call this if one reply without a Content-Range had the whole object.
  void set_size(std::uint64_t size);
  // Returns what a reply without bytes of the object means for the read: `absent`, `changed` or `past_end` for status
  // 404, 412 or 416; nullopt if another try may help (is_transient()). Throws Error for any other reply.
  std::optional<ReadResult> result_of_failure(const HttpReply& reply) const;

  // True if the service has sent a checksum of the whole object, `size` is the size of the whole object, and `crc32c`,
  // the CRC-32C of the received bytes, does not match the checksum.
  bool is_damaged(std::uint64_t size, std::uint32_t crc32c) const;
  // Throws the Error for an object for which is_damaged() was true in each of `attempts` readings.
  [[noreturn]] void throw_damaged(int attempts) const;

 protected:
  struct ReplyHead {
    std::optional<Version> version;            // nullopt if the reply does not name it
    std::optional<std::string> crc32c_base64;  // of the whole object, as crc32c_base64() writes it
  };
  // Returns the request for this version, or for the current one, without its Range header. Called while the mutex is
  // locked, so it must not call size() or is_pinned().
  virtual HttpRequest read_request(const std::optional<Version>& version) const = 0;
  // Returns what the headers of a reply say.
  virtual ReplyHead parse_head(const HttpReply& reply) const = 0;
  // Throws the Error for a reply that result_of_failure() cannot handle.
  [[noreturn]] virtual void throw_unexpected_reply(const HttpReply& reply) const = 0;

 private:
  const std::string url_;
  mutable Mutex mutex_;
  std::optional<Version> version_ GUARDED_BY(mutex_);
  std::optional<std::uint64_t> size_ GUARDED_BY(mutex_);
  std::optional<std::string> crc32c_base64_ GUARDED_BY(mutex_);
};

}  // namespace carrack::data
