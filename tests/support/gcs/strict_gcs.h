// GCS's documented behaviour on top of a fake server that is laxer: preconditions, resumable uploads, checksums,
// metagenerations. README.md has the table of what is played here and what the server does itself.
//
// Check and apply are atomic per object as long as every request comes this way. A precondition or a form of the XML
// API that is not played is refused with 501, never ignored. Handlers run on many threads, each with an Upstream of its
// own.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "tests/support/gcs/gcs_request.h"
#include "tests/support/gcs/held_objects.h"
#include "tests/support/gcs/object_locks.h"
#include "tests/support/gcs/preconditions.h"
#include "tests/support/gcs/upload_sessions.h"
#include "tests/support/gcs/upstream.h"

namespace carrack::tests {

class StrictGcs {
 public:
  explicit StrictGcs(bool holds_objects) : holds_objects_(holds_objects) {}

  Reply handle(const Request& request, Upstream& upstream, std::optional<std::uint64_t> persist_at_most);
  // From now on the upload session answers with `status`; false if there is no such session.
  bool expire_upload(const std::string& id, int status) { return sessions_.expire(id, status); }

 private:
  Reply carry_out(const GcsRequest& gcs, const Request& request, Upstream& upstream,
                  std::optional<std::uint64_t> persist_at_most);
  Reply read(const GcsRequest& gcs, const Request& request, Upstream& upstream);
  Reply insert(const GcsRequest& gcs, const Request& request, Upstream& upstream);
  Reply start_upload(const GcsRequest& gcs, const Request& request);
  Reply continue_upload(const Request& request, Upstream& upstream, std::optional<std::uint64_t> persist_at_most);
  Reply change_existing(const GcsRequest& gcs, const Request& request, Upstream& upstream);
  Reply copy(const GcsRequest& gcs, const Request& request, Upstream& upstream);
  Reply compose(const GcsRequest& gcs, const Request& request, Upstream& upstream);

  // Writes the object if the preconditions are met, and gives the JSON API's reply.
  Reply store(const Insert& insert, const Preconditions& preconditions, Upstream& upstream);
  std::optional<LiveObject> live(const ObjectName& object, const std::optional<std::string>& generation,
                                 Upstream& upstream);

  ObjectLocks locks_;
  Metagenerations metagenerations_;
  UploadSessions sessions_;
  const bool holds_objects_;
  HeldObjects held_objects_;
};

}  // namespace carrack::tests
