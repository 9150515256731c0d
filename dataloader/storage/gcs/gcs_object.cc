#include "dataloader/storage/gcs/gcs_object.h"

#include "dataloader/error.h"
#include "dataloader/storage/gcs/gcs_client.h"
#include "dataloader/storage/gcs/gcs_text.h"

namespace carrack::data {

bool GcsObject::is_pinned() const {
  const std::lock_guard lock(mutex_);
  return version_.has_value();
}

std::optional<std::uint64_t> GcsObject::size() const {
  const std::lock_guard lock(mutex_);
  return size_;
}

HttpRequest GcsObject::request_for(std::uint64_t first, std::uint64_t size) const {
  HttpRequest request{.method = "GET", .target = target_ + "?alt=media"};
  request.headers.emplace_back("Range", "bytes=" + std::to_string(first) + "-" + std::to_string(first + size - 1));
  const std::lock_guard lock(mutex_);
  if (version_) request.target += "&ifGenerationMatch=" + percent_encoded(version_->text);
  return request;
}

bool GcsObject::take_head(const HttpReply& reply, std::uint64_t first) {
  const auto range = sent_range_from(reply.header("Content-Range").value_or(""));
  const std::uint64_t sent = range ? range->first : 0;
  if (sent != first) {
    throw Error(url_ + ": asked for the bytes from " + std::to_string(first) + " and got those from " +
                std::to_string(sent));
  }
  const auto generation = reply.header("x-goog-generation");
  const std::lock_guard lock(mutex_);
  if (version_ && generation && *generation != version_->text) return false;
  if (!version_ && generation) version_ = Version{*generation};
  if (range) size_ = range->object_size;
  if (const auto hash = reply.header("x-goog-hash")) crc32c_ = crc32c_text_from(*hash);
  return true;
}

void GcsObject::take_size(std::uint64_t size) {
  const std::lock_guard lock(mutex_);
  size_ = size;
}

std::optional<ReadResult> GcsObject::refusal(const HttpReply& reply) const {
  if (is_transient(reply)) return std::nullopt;
  switch (reply.status) {
    case 404:
      return ReadResult::absent;
    case 412:
      return ReadResult::changed;
    case 416:
      return ReadResult::past_end;
    default:
      throw_unexpected(url_, reply);
  }
}

bool GcsObject::is_damaged(std::uint64_t size, std::uint32_t crc32c) const {
  const std::lock_guard lock(mutex_);
  return size_ == size && crc32c_ && crc32c_text(crc32c) != *crc32c_;
}

void GcsObject::throw_damaged(int readings) const {
  const std::lock_guard lock(mutex_);
  throw Error(url_ + ": its bytes do not have its checksum, crc32c=" + crc32c_.value_or("") + ", in " +
              std::to_string(readings) + (readings == 1 ? " reading" : " readings") +
              "; look at the network between here and the storage");
}

}  // namespace carrack::data
