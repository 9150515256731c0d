// GcsWriter: writes an object as a stream, by a resumable upload:
// https://cloud.google.com/storage/docs/performing-resumable-uploads
//
// At most one chunk is in memory: the bytes that the server has not confirmed. The last request makes the object
// visible and carries its checksum, which the server compares. If the reply to that request is lost, an object of the
// same size and checksum counts as this one; an object that another writer has written since is never overwritten. The
// address of an upload session is a credential, so no error message shows it. For one thread.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "dataloader/storage/gcs/gcs_client.h"
#include "dataloader/storage/gcs/gcs_text.h"
#include "dataloader/storage/storage.h"

namespace carrack::data {

class GcsWriter : public ObjectWriter {
 public:
  struct Targets {
    std::string upload;  // Where a session for this name is opened.
    std::string object;
  };
  // Opens the upload session.
  GcsWriter(GcsClient& client, std::string url, Targets targets, CreateOptions options);
  // Cancels the session if it was not committed.
  ~GcsWriter() override;
  GcsWriter(const GcsWriter&) = delete;
  GcsWriter& operator=(const GcsWriter&) = delete;

  void write(std::span<const std::byte> bytes) override;
  std::optional<ObjectStat> commit() override;

 private:
  enum class Session { open, done, refused };

  Session open_session();
  void send_chunk();
  // Sends one request with the first `size` bytes of unconfirmed_, and handles its reply.
  Session advance(Backoff& backoff, std::size_t size, bool last);
  HttpReply put(const std::string& content_range, std::string body, bool last);
  // Drops the bytes that the server has confirmed. Returns false if there are none.
  bool confirm_stored(const HttpReply& reply);
  // The precondition failed: another object is there, or this one.
  Session after_precondition_failed();
  // The session is gone.
  Session after_expiry(const HttpReply& gone, Backoff& backoff);
  bool has_precondition() const { return options_.must_not_exist || maybe_written_; }
  bool has_our_content(const ObjectResource& object) const;
  std::optional<ObjectResource> present_object();
  // Throws Error, after removing the object, if the server has stored other bytes.
  void accept_written(const ObjectResource& object);

  GcsClient& client_;
  const std::string url_;
  const Targets targets_;
  const CreateOptions options_;
  std::string session_;         // The session's request target; empty after it has ended.
  std::string unconfirmed_;     // The bytes from stored_ on.
  std::uint64_t stored_ = 0;    // bytes, as the server has confirmed
  std::uint32_t crc_ = 0;       // of all bytes
  bool maybe_written_ = false;  // The last request was sent, and its reply was lost.
  std::optional<ObjectStat> written_;
};

}  // namespace carrack::data
