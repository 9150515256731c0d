#include "dataloader/storage/remote/remote_object.h"

#include "dataloader/check.h"
#include "dataloader/crc32c.h"
#include "dataloader/error.h"
#include "dataloader/storage/remote/ranges.h"

namespace carrack::data {

bool RemoteObject::is_pinned() const {
  const MutexLock lock(mutex_);
  return version_.has_value();
}

std::optional<std::uint64_t> RemoteObject::size() const {
  const MutexLock lock(mutex_);
  return size_;
}

HttpRequest RemoteObject::range_request(std::uint64_t first, std::uint64_t size) const {
  CHECK_GT(size, 0u);  // A Range header cannot request 0 bytes.
  const MutexLock lock(mutex_);
  HttpRequest request = read_request(version_);
  request.headers.emplace_back("Range", "bytes=" + std::to_string(first) + "-" + std::to_string(first + size - 1));
  return request;
}

bool RemoteObject::accept_head(const HttpReply& reply, std::uint64_t first) {
  const auto range = content_range_from(reply.header("Content-Range").value_or(""));
  const std::uint64_t received_first = range ? range->first : 0;
  if (received_first != first) {
    throw Error(url_ + ": asked for the bytes from " + std::to_string(first) + " and got those from " +
                std::to_string(received_first));
  }
  ReplyHead head = parse_head(reply);
  const MutexLock lock(mutex_);
  if (version_ && head.version && *head.version != *version_) return false;
  if (!version_) version_ = std::move(head.version);
  if (range) size_ = range->object_size;
  if (head.crc32c_base64) crc32c_base64_ = std::move(head.crc32c_base64);
  return true;
}

void RemoteObject::set_size(std::uint64_t size) {
  const MutexLock lock(mutex_);
  size_ = size;
}

std::optional<ReadResult> RemoteObject::result_of_failure(const HttpReply& reply) const {
  if (is_transient(reply)) return std::nullopt;
  if (reply.status == 404) return ReadResult::absent;
  if (reply.status == 412) return ReadResult::changed;
  if (reply.status == 416) return ReadResult::past_end;
  throw_unexpected_reply(reply);
  return std::nullopt;  // This is not reached, but gcc 12 ignores [[noreturn]] of virtual functions.
}

bool RemoteObject::is_damaged(std::uint64_t size, std::uint32_t crc32c) const {
  const MutexLock lock(mutex_);
  return size_ == size && crc32c_base64_ && crc32c_base64(crc32c) != *crc32c_base64_;
}

void RemoteObject::throw_damaged(int attempts) const {
  const MutexLock lock(mutex_);
  throw Error(url_ + ": its bytes do not have its checksum, crc32c=" + crc32c_base64_.value_or("") + ", in " +
              std::to_string(attempts) + (attempts == 1 ? " reading" : " readings") +
              "; look at the network between here and the storage");
}

}  // namespace carrack::data
