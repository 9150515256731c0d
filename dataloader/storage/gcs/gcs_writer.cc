#include "dataloader/storage/gcs/gcs_writer.h"

#include <algorithm>
#include <exception>
#include <string_view>

#include "dataloader/check.h"
#include "dataloader/crc32c.h"
#include "dataloader/error.h"
#include "dataloader/http/service_url.h"
#include "dataloader/storage/gcs/upload_requests.h"

namespace carrack::data {
namespace {

bool is_gone(const HttpReply& reply) {
  return reply.status == 404 || reply.status == 410;
}

// Removes the session's address from a text. Any process that knows the address can write with this process's rights,
// and an error message of the service may quote it.
std::string without_session(std::string text, const std::string& session) {
  constexpr std::string_view key = "upload_id=";
  text = redacted(text, session);
  if (const std::size_t at = session.find(key); at != session.npos) {
    const std::size_t begin = at + key.size();
    text = redacted(text, session.substr(begin, session.find('&', begin) - begin));
  }
  return text;
}

}  // namespace

GcsWriter::GcsWriter(GcsClient& client, std::string url, Targets targets, CreateOptions options)
    : client_(client), url_(std::move(url)), targets_(std::move(targets)), options_(options) {
  open_session();
}

GcsWriter::~GcsWriter() {
  if (session_.empty()) return;
  try {
    client_.send({.method = "DELETE", .target = session_});
  } catch (const std::exception&) {  // does not matter: the service itself ends the session after a week
  }
}

// The request may be repeated: if its reply is lost, the session that it opened is never used, and expires.
GcsWriter::Session GcsWriter::open_session() {
  // ifGenerationMatch=0 makes the service refuse the upload if an object exists. This is needed even without
  // must_not_exist if the reply to an earlier last request was lost (maybe_written_): after_expiry() has then found no
  // object at this URL, so an object that appears from now on may be newer, and the upload must not replace it.
  const std::string condition = has_precondition() ? "&ifGenerationMatch=0" : "";
  session_.clear();
  const HttpReply reply = client_.send_with_retries(url_, {.method = "POST", .target = targets_.upload + condition});
  if (reply.status == 412 && has_precondition()) return after_precondition_failed();
  if (reply.status != 200 && reply.status != 201) throw_unexpected(url_, reply);
  const auto session = target_on_same_server(client_.endpoint(), reply.header("Location").value_or(""));
  if (!session)
    throw Error(url_ + ": the storage gave no address at " + client_.endpoint() + " for the upload to go on");
  session_ = *session;
  return Session::open;
}

void GcsWriter::write(std::span<const std::byte> bytes) {
  if (session_.empty()) return;  // The service has refused the object, which commit() reports.
  crc_ = crc32c(bytes, crc_);
  while (!bytes.empty() && !session_.empty()) {
    CHECK_LT(unconfirmed_.size(), upload_chunk_bytes);
    const std::size_t added = std::min(bytes.size(), upload_chunk_bytes - unconfirmed_.size());
    unconfirmed_.append(reinterpret_cast<const char*>(bytes.data()), added);
    bytes = bytes.subspan(added);
    if (unconfirmed_.size() == upload_chunk_bytes) send_chunk();
  }
}

void GcsWriter::send_chunk() {
  Backoff backoff = client_.backoff();
  while (unconfirmed_.size() == upload_chunk_bytes) {
    const Session session = advance(backoff, upload_chunk_bytes, false);
    if (session == Session::done)
      throw Error(url_ + ": the storage ended the upload before its last byte; write it again");
    if (session == Session::refused) {
      session_.clear();
      unconfirmed_.clear();
    }
  }
}

std::optional<ObjectStat> GcsWriter::commit() {
  Backoff backoff = client_.backoff();
  Session session = session_.empty() ? Session::refused : Session::open;
  while (session == Session::open) session = advance(backoff, unconfirmed_.size(), true);
  session_.clear();
  return session == Session::done ? written_ : std::nullopt;
}

GcsWriter::Session GcsWriter::advance(Backoff& backoff, std::size_t size, bool last) {
  const std::string total = last ? std::to_string(stored_ + size) : "*";
  const std::string first_to_last = std::to_string(stored_) + "-" + std::to_string(stored_ + size - 1);
  HttpReply reply = put("bytes " + (size == 0 ? "*" : first_to_last) + "/" + total, unconfirmed_.substr(0, size), last);
  const bool failed = is_transient(reply);
  if (failed) {
    maybe_written_ |= last;
    client_.wait(backoff, url_, reply);
    reply = put("bytes */" + total, "", last);  // asks how many bytes are stored
    if (is_transient(reply)) return Session::open;
  }
  if (reply.status == 308) {  // The service expects more bytes.
    if (confirm_stored(reply)) {
      backoff.progressed();
    } else if (!failed) {
      client_.wait(backoff, url_, reply);
    }
    return Session::open;
  }
  if (is_gone(reply)) return after_expiry(reply, backoff);
  if (reply.status == 412 && has_precondition()) return after_precondition_failed();
  accept_written(object_in(url_, reply));
  return Session::done;
}

HttpReply GcsWriter::put(const std::string& content_range, std::string body, bool last) {
  HttpRequest request{
      .method = "PUT", .target = session_, .headers = {{"Content-Range", content_range}}, .body = std::move(body)};
  request.headers.emplace_back("Content-Type", "application/octet-stream");
  if (last) request.headers.emplace_back("x-goog-hash", "crc32c=" + crc32c_base64(crc_));
  HttpReply reply = client_.send(std::move(request));
  reply.body = without_session(reply.body, session_);
  return reply;
}

bool GcsWriter::confirm_stored(const HttpReply& reply) {
  const auto range = reply.header("Range");
  const auto stored = range ? stored_bytes_from(*range) : std::uint64_t{0};
  if (!stored || *stored < stored_ || *stored > stored_ + unconfirmed_.size()) {
    throw Error(url_ + ": the storage says that it stores \"" + range.value_or("nothing") +
                "\" of an upload of which it had " + std::to_string(stored_) + " bytes and was sent " +
                std::to_string(unconfirmed_.size()) + "; write the object again");
  }
  const std::uint64_t more = *stored - stored_;
  unconfirmed_.erase(0, more);
  stored_ = *stored;
  return more > 0;
}

GcsWriter::Session GcsWriter::after_precondition_failed() {
  const auto present = maybe_written_ ? present_object() : std::nullopt;
  if (present && has_our_content(*present)) {
    accept_written(*present);
    return Session::done;
  }
  if (options_.must_not_exist) return Session::refused;
  throw Error(
      url_ +
      ": the storage lost the upload, and it is unknown whether the object that is there now is newer; look at the "
      "object, and write it again if it should be this one");
}

GcsWriter::Session GcsWriter::after_expiry(const HttpReply& gone, Backoff& backoff) {
  if (maybe_written_ && present_object()) return after_precondition_failed();
  if (stored_ > 0) {
    throw Error(url_ + ": the upload expired after " + std::to_string(stored_) + " bytes; write the object again");
  }
  client_.wait(backoff, url_, gone);
  return open_session();
}

bool GcsWriter::has_our_content(const ObjectResource& object) const {
  return object.stat.size == stored_ + unconfirmed_.size() && object.crc32c == crc32c_base64(crc_);
}

std::optional<ObjectResource> GcsWriter::present_object() {
  const HttpReply reply = client_.send_with_retries(url_, {.method = "GET", .target = targets_.object});
  if (reply.status == 404) return std::nullopt;
  return object_in(url_, reply);
}

void GcsWriter::accept_written(const ObjectResource& object) {
  written_ = object.stat;
  if (has_our_content(object)) return;
  if (object.crc32c.empty()) {
    throw Error(url_ +
                ": the storage returned no checksum (crc32c) of the stored object, so it is unknown whether it holds "
                "what was sent");
  }
  const std::string this_version = targets_.object + "?ifGenerationMatch=" + object.stat.version.text;
  client_.send_with_retries(url_, {.method = "DELETE", .target = this_version});
  throw Error(url_ + ": the storage has stored other bytes than were sent (crc32c=" + object.crc32c + ", not " +
              crc32c_base64(crc_) + "), and the object was removed; write it again");
}

}  // namespace carrack::data
