#include "dataloader/storage/gcs_read.h"

#include "dataloader/crc32c.h"
#include "dataloader/error.h"
#include "dataloader/storage/gcs_text.h"

namespace carrack::data {

ReadResult GcsRead::fill(const Slice& slice) {
  constexpr int checked_limit = 3;  // Readings of the whole slice with a wrong checksum.
  Backoff tries = client_.backoff();
  std::size_t got = 0;
  for (int checked = 0;;) {
    const Slice rest{slice.offset + got, slice.into.subspan(got)};
    const HttpReply reply = client_.send(request_for(rest));
    const bool content = reply.status == 200 || reply.status == 206;
    if (content) {
      take_head(reply, rest);
      got += reply.received;
      if (reply.received > 0) tries.progressed();
    } else if (const auto refused = is_transient(reply) ? std::nullopt : refusal(reply)) {
      return *refused;
    }
    if (object_size_ && slice.offset + slice.into.size() > *object_size_) return ReadResult::past_end;
    if (got < slice.into.size()) {
      client_.wait(tries, url_, reply);
      continue;
    }
    if (!is_whole_object(slice) || !crc32c_ || crc32c_text(crc32c(slice.into)) == *crc32c_) return ReadResult::complete;
    if (++checked == checked_limit) {
      throw Error(url_ + ": its bytes do not have its checksum, crc32c=" + *crc32c_ + ", in " +
                  std::to_string(checked_limit) + " readings; look at the network between here and the storage");
    }
    got = 0;
  }
}

HttpRequest GcsRead::request_for(const Slice& rest) const {
  HttpRequest request{"GET", target_ + "?alt=media", {}, "", rest.into};
  if (version_) request.target += "&ifGenerationMatch=" + percent_encoded(version_->text);
  const std::uint64_t last = rest.offset + rest.into.size() - 1;
  request.headers.emplace_back("Range", "bytes=" + std::to_string(rest.offset) + "-" + std::to_string(last));
  return request;
}

std::optional<ReadResult> GcsRead::refusal(const HttpReply& reply) const {
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

void GcsRead::take_head(const HttpReply& reply, const Slice& rest) {
  const auto range = sent_range_from(reply.header("Content-Range").value_or(""));
  const std::uint64_t first = range ? range->first : 0;
  if (first != rest.offset) {
    throw Error(url_ + ": asked for the bytes from " + std::to_string(rest.offset) + " and got those from " +
                std::to_string(first));
  }
  if (range) object_size_ = range->object_size;
  if (!range && reply.whole) object_size_ = reply.received;  // All of it was sent, and it fitted.
  if (!version_) {
    if (const auto generation = reply.header("x-goog-generation")) version_ = Version{*generation};
  }
  if (const auto hash = reply.header("x-goog-hash")) crc32c_ = crc32c_text_from(*hash);
}

bool GcsRead::is_whole_object(const Slice& slice) const {
  return slice.offset == 0 && object_size_ == slice.into.size();
}

}  // namespace carrack::data
