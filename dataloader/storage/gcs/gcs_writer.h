// GcsWriter: the ObjectWriter that GcsStorage::create() returns. It sends an object in chunks, by a resumable upload:
// https://cloud.google.com/storage/docs/performing-resumable-uploads
//
// At most one chunk (upload_chunk_bytes) is buffered: the bytes that the server has not confirmed. While it is sent, a
// copy of it is in memory, too. The last request makes the object visible and carries its checksum, which the server
// compares. If the reply to that request is lost, an existing object of the same size and checksum counts as written by
// this writer, and a later object of another writer is never overwritten. The address of an upload session is a
// credential, so no error message shows it. For one thread.
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
    std::string upload;  // request target that opens an upload session, with a query
    std::string object;  // request target of the object, without a query
  };
  // Opens the upload session. The client must outlive this. If options.must_not_exist and the object exists already,
  // write() drops its bytes and commit() returns nullopt. Throws Error if the session cannot be opened.
  GcsWriter(GcsClient& client, std::string url, Targets targets, CreateOptions options);
  // Cancels the session if it was not committed.
  ~GcsWriter() override;
  GcsWriter(const GcsWriter&) = delete;
  GcsWriter& operator=(const GcsWriter&) = delete;

  void write(std::span<const std::byte> bytes) override;
  std::optional<ObjectStat> commit() override;

 private:
  enum class Session {
    open,    // bytes, or the last request, may still have to be sent
    done,    // the object is written
    refused  // the object must not exist but does
  };

  // Opens a session and returns `open`, or returns what after_precondition_failed() does.
  Session open_session();
  // Sends unconfirmed_, which is a full chunk, until the server has confirmed bytes of it.
  void send_chunk();
  // Sends the first `size` bytes of unconfirmed_ and handles the reply. `last` is true for the last bytes of the
  // object. After a transient failure it waits, and asks how many bytes are stored. Returns `open` if bytes may still
  // have to be sent.
  Session advance(Backoff& backoff, std::size_t size, bool last);
  // Sends `body` to the session; with `last`, also the checksum of the object.
  HttpReply put(const std::string& content_range, std::string body, bool last);
  // Drops the bytes that the server has confirmed. Returns false if it has confirmed no new bytes.
  bool confirm_stored(const HttpReply& reply);
  // Called if an object exists against the precondition. Returns `done` if this writer has written it, and `refused` if
  // the object must not exist. Otherwise the object may be newer than that of this writer, and this throws Error.
  Session after_precondition_failed();
  // Called if the session does not exist any more, with the reply `gone` that says so. Opens another session, unless
  // the object exists and this writer may have written it. Throws Error if the server had confirmed bytes, which are
  // lost.
  Session after_expiry(const HttpReply& gone, Backoff& backoff);
  bool has_precondition() const { return options_.must_not_exist || maybe_written_; }
  bool has_our_content(const ObjectResource& object) const;
  std::optional<ObjectResource> present_object();
  // Sets written_. If the server has stored other bytes, removes the object and throws Error.
  void accept_written(const ObjectResource& object);

  GcsClient& client_;
  const std::string url_;
  const Targets targets_;
  const CreateOptions options_;
  std::string session_;         // the session's request target; empty after it has ended
  std::string unconfirmed_;     // the bytes of the object from offset stored_ on
  std::uint64_t stored_ = 0;    // number of bytes that the server has confirmed
  std::uint32_t crc_ = 0;       // CRC-32C of all bytes that were written
  bool maybe_written_ = false;  // The last request was sent, and its reply was lost.
  std::optional<ObjectStat> written_;
};

}  // namespace carrack::data
