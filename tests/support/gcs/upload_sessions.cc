#include "tests/support/gcs/upload_sessions.h"

namespace carrack::tests {

std::string UploadSessions::start(Insert target, const Preconditions& preconditions,
                                  std::optional<std::uint64_t> total) {
  auto session = std::make_unique<UploadSession>();
  session->target = std::move(target);
  session->preconditions = preconditions;
  session->upload.total = total;
  const MutexLock lock(mutex_);
  std::string id = "upload-" + std::to_string(sessions_.size() + 1);
  sessions_[id] = std::move(session);
  return id;
}

UploadSession* UploadSessions::find(const std::string& id) {
  const MutexLock lock(mutex_);
  const auto found = sessions_.find(id);
  return found == sessions_.end() ? nullptr : found->second.get();
}

bool UploadSessions::expire(const std::string& id, int status) {
  UploadSession* session = find(id);
  if (session == nullptr) return false;
  const MutexLock lock(session->mutex);
  session->upload.content = {};
  session->ended = UploadSession::Gone{status};
  return true;
}

}  // namespace carrack::tests
