#include "dataloader/storage/gcs/gcs_writer.h"

#include <algorithm>
#include <exception>
#include <string_view>

#include "dataloader/crc32c.h"
#include "dataloader/error.h"
#include "dataloader/http/service_url.h"

namespace carrack::data {
namespace {

constexpr std::size_t chunk_size = std::size_t{8} << 20;  // A multiple of 256 KiB, as all chunks but the last must be.

bool is_gone(const HttpReply& reply) {
  return reply.status == 404 || reply.status == 410;
}

// Who knows a session's address may write in our name, and what a service says may show it.
HttpReply telling_no(const std::string& session, HttpReply reply) {
  constexpr std::string_view key = "upload_id=";
  reply.body = without(reply.body, session);
  if (const std::size_t at = session.find(key); at != session.npos) {
    const std::size_t begin = at + key.size();
    reply.body = without(reply.body, session.substr(begin, session.find('&', begin) - begin));
  }
  return reply;
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
  } catch (const std::exception&) {  // Nobody waits for it: a session ends by itself after a week.
  }
}

// A session whose reply was lost is nobody's and ends by itself, so opening may be tried again.
GcsWriter::Session GcsWriter::open_session() {
  // Where nothing is there after a try of which nobody knows, whatever comes meanwhile is newer than this.
  const std::string condition = has_condition() ? "&ifGenerationMatch=0" : "";
  session_.clear();
  const HttpReply reply = client_.send_until_answered(url_, {.method = "POST", .target = targets_.upload + condition});
  if (reply.status == 412 && has_condition()) return after_refusal();
  if (reply.status != 200 && reply.status != 201) throw_unexpected(url_, reply);
  const auto session = target_at(client_.endpoint(), reply.header("Location").value_or(""));
  if (!session)
    throw Error(url_ + ": the storage gave no address at " + client_.endpoint() + " for the upload to go on");
  session_ = *session;
  return Session::open;
}

void GcsWriter::write(std::span<const std::byte> bytes) {
  if (session_.empty()) return;  // Refused at once, which commit() says.
  crc_ = crc32c(bytes, crc_);
  while (!bytes.empty()) {
    const std::size_t taken = std::min(bytes.size(), chunk_size - held_.size());
    held_.append(reinterpret_cast<const char*>(bytes.data()), taken);
    bytes = bytes.subspan(taken);
    if (held_.size() == chunk_size) send_chunk();
  }
}

void GcsWriter::send_chunk() {
  Backoff tries = client_.backoff();
  while (held_.size() == chunk_size) {
    const Session session = advance(tries, chunk_size, false);
    if (session == Session::done)
      throw Error(url_ + ": the storage ended the upload before its last byte; write it again");
    if (session == Session::refused) {
      session_.clear();
      held_.clear();
    }
  }
}

std::optional<ObjectStat> GcsWriter::commit() {
  Backoff tries = client_.backoff();
  Session session = session_.empty() ? Session::refused : Session::open;
  while (session == Session::open) session = advance(tries, held_.size(), true);
  session_.clear();
  return session == Session::done ? written_ : std::nullopt;
}

GcsWriter::Session GcsWriter::advance(Backoff& tries, std::size_t size, bool last) {
  const std::string total = last ? std::to_string(stored_ + size) : "*";
  const std::string first_to_last = std::to_string(stored_) + "-" + std::to_string(stored_ + size - 1);
  HttpReply reply = put("bytes " + (size == 0 ? "*" : first_to_last) + "/" + total, held_.substr(0, size), last);
  const bool failed = is_transient(reply);
  if (failed) {
    maybe_written_ |= last;
    client_.wait(tries, url_, reply);
    reply = put("bytes */" + total, "", last);  // How far did it come?
    if (is_transient(reply)) return Session::open;
  }
  if (reply.status == 308) {
    if (take_stored(reply)) {
      tries.progressed();
    } else if (!failed) {
      client_.wait(tries, url_, reply);
    }
    return Session::open;
  }
  if (is_gone(reply)) return after_expiry(reply, tries);
  if (reply.status == 412 && has_condition()) return after_refusal();
  const auto object = reply.status == 200 || reply.status == 201 ? object_from(reply.body) : std::nullopt;
  if (!object) throw_unexpected(url_, reply);
  take_written(*object);
  return Session::done;
}

HttpReply GcsWriter::put(const std::string& content_range, std::string body, bool last) {
  HttpRequest request{
      .method = "PUT", .target = session_, .headers = {{"Content-Range", content_range}}, .body = std::move(body)};
  request.headers.emplace_back("Content-Type", "application/octet-stream");
  if (last) request.headers.emplace_back("x-goog-hash", "crc32c=" + crc32c_text(crc_));
  return telling_no(session_, client_.send(std::move(request)));
}

bool GcsWriter::take_stored(const HttpReply& reply) {
  const auto range = reply.header("Range");
  const auto stored = range ? stored_from(*range) : std::uint64_t{0};
  if (!stored || *stored < stored_ || *stored > stored_ + held_.size()) {
    throw Error(url_ + ": the storage says that it stores \"" + range.value_or("nothing") +
                "\" of an upload of which it had " + std::to_string(stored_) + " bytes and was sent " +
                std::to_string(held_.size()) + "; write the object again");
  }
  const std::uint64_t more = *stored - stored_;
  held_.erase(0, more);
  stored_ = *stored;
  return more > 0;
}

GcsWriter::Session GcsWriter::after_refusal() {
  const auto present = maybe_written_ ? present_object() : std::nullopt;
  if (present && is_ours(*present)) {
    take_written(*present);
    return Session::done;
  }
  if (options_.must_not_exist) return Session::refused;
  throw Error(
      url_ +
      ": the storage lost the upload, and nobody knows whether it was carried out before what is there now; look "
      "at the object, and write it again if it should be this one");
}

GcsWriter::Session GcsWriter::after_expiry(const HttpReply& gone, Backoff& tries) {
  if (maybe_written_ && present_object()) return after_refusal();
  if (stored_ > 0) {
    throw Error(url_ + ": the upload expired after " + std::to_string(stored_) + " bytes; write the object again");
  }
  client_.wait(tries, url_, gone);
  return open_session();
}

bool GcsWriter::is_ours(const ObjectResource& object) const {
  return object.stat.size == stored_ + held_.size() && object.crc32c == crc32c_text(crc_);
}

std::optional<ObjectResource> GcsWriter::present_object() {
  const HttpReply reply = client_.send_until_answered(url_, {.method = "GET", .target = targets_.object});
  if (reply.status == 404) return std::nullopt;
  auto object = reply.status == 200 ? object_from(reply.body) : std::nullopt;
  if (!object) throw_unexpected(url_, reply);
  return object;
}

void GcsWriter::take_written(const ObjectResource& object) {
  written_ = object.stat;
  if (is_ours(object)) return;
  if (object.crc32c.empty()) {
    throw Error(url_ +
                ": the storage does not tell the checksum (crc32c) of what it has stored, so nobody knows whether " +
                "that is what was sent");
  }
  const std::string this_one = targets_.object + "?ifGenerationMatch=" + object.stat.version.text;
  client_.send_until_answered(url_, {.method = "DELETE", .target = this_one});
  throw Error(url_ + ": the storage has stored other bytes than were sent (crc32c=" + object.crc32c + ", not " +
              crc32c_text(crc_) + "), and the object was removed; write it again");
}

}  // namespace carrack::data
