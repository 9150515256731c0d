// The resumable uploads under way, by their ids. A session is never forgotten: one that is over says how it ended.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <variant>

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

  std::mutex mutex;  // Guards the rest. One request of a session at a time.
  Insert target;     // Its content comes at the end.
  Preconditions preconditions;
  Upload upload;
  Ended ended;
};

class UploadSessions {
 public:
  std::string start(Insert target, const Preconditions& preconditions, std::optional<std::uint64_t> total);
  // Null if there never was one.
  UploadSession* find(const std::string& id);
  bool expire(const std::string& id, int status);

 private:
  std::mutex mutex_;
  std::map<std::string, std::unique_ptr<UploadSession>> sessions_;
};

}  // namespace carrack::tests
