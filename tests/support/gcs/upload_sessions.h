// The sessions of resumable uploads, by their ids. Sessions are never removed; one that is over knows how it ended.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <variant>

#include "dataloader/mutex.h"
#include "tests/support/gcs/gcs_request.h"
#include "tests/support/gcs/preconditions.h"
#include "tests/support/gcs/uploads.h"
#include "tests/support/gcs/upstream.h"

namespace carrack::tests {

struct UploadSession {
  struct Gone {
    int status = 410;
  };
  using Ended = std::variant<std::monostate, Reply, Gone>;  // Open; finished with this reply; expired or cancelled.

  Mutex mutex;    // Guards the rest: a session handles one request at a time.
  Insert target;  // Its content is set at the end of the upload.
  Preconditions preconditions;
  Upload upload;
  Ended ended;
};

class UploadSessions {
 public:
  std::string start(Insert target, const Preconditions& preconditions, std::optional<std::uint64_t> total);
  // nullptr if there never was such a session.
  UploadSession* find(const std::string& id);
  bool expire(const std::string& id, int status);

 private:
  Mutex mutex_;
  std::map<std::string, std::unique_ptr<UploadSession>> sessions_ GUARDED_BY(mutex_);
};

}  // namespace carrack::tests
