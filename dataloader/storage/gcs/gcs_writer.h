// An object written as a stream by a resumable upload:
// https://cloud.google.com/storage/docs/performing-resumable-uploads
//
// At most one chunk is held in memory: what the server has not said to have stored. The object appears with the last
// request, with its checksum, which the server compares. If the reply to that one was lost, an object of this size and
// checksum is taken for ours. Nothing is written a second time over what came after the first. A session's address is a
// credential; no error shows it.
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
    std::string upload;  // Where uploads of this name begin.
    std::string object;
  };
  // Opens the session.
  GcsWriter(GcsClient& client, std::string url, Targets targets, CreateOptions options);
  // Ends a session that was not committed.
  ~GcsWriter() override;
  GcsWriter(const GcsWriter&) = delete;
  GcsWriter& operator=(const GcsWriter&) = delete;

  void write(std::span<const std::byte> bytes) override;
  std::optional<ObjectStat> commit() override;

 private:
  enum class Session { open, done, refused };

  Session open_session();
  void send_chunk();
  // One request with the first `size` bytes that are held, and what follows from the reply.
  Session advance(Backoff& tries, std::size_t size, bool last);
  HttpReply put(const std::string& content_range, std::string body, bool last);
  // False if that is no more than was known.
  bool take_stored(const HttpReply& reply);
  Session after_refusal();
  Session after_expiry(const HttpReply& gone, Backoff& tries);
  bool has_condition() const { return options_.must_not_exist || maybe_written_; }
  bool is_ours(const ObjectResource& object) const;
  std::optional<ObjectResource> present_object();
  void take_written(const ObjectResource& object);

  GcsClient& client_;
  const std::string url_;
  const Targets targets_;
  const CreateOptions options_;
  std::string session_;         // Its target; empty when it has ended.
  std::string held_;            // The bytes from stored_ on.
  std::uint64_t stored_ = 0;    // By the server, as far as it told.
  std::uint32_t crc_ = 0;       // Of all bytes.
  bool maybe_written_ = false;  // The last request was sent, and its reply lost.
  std::optional<ObjectStat> written_;
};

}  // namespace carrack::data
