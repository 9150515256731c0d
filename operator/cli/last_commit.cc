#include "operator/cli/last_commit.h"

#include <exception>

#include "trainer/checkpoint/folder.h"

namespace carrack::control {

std::optional<LastCheckpoint> last_commit_of(const JobSpec& job, const data::Storages& storages) {
  const std::string& url = job.config.checkpoint.folder;
  try {
    checkpoint::CheckpointFolder folder(storages.for_url(url), url);
    const std::optional<checkpoint::Head> head = folder.head();
    if (!head || head->job != job.uid || !head->committed) return std::nullopt;
    const checkpoint::Manifest manifest = folder.manifest(*head->committed);
    return LastCheckpoint{.step = static_cast<std::int64_t>(manifest.cut.step),
                          .name = head->committed->manifest,
                          .skipped_records = static_cast<std::int64_t>(manifest.skipped.records),
                          .first_skipped = manifest.skipped.first};
  } catch (const std::exception&) {
    return std::nullopt;  // No error here: the processes of the job use the same folder, and report the problem.
  }
}

std::string other_owner_of_folder(const JobSpec& job, const data::Storages& storages) {
  const std::string& url = job.config.checkpoint.folder;
  if (job.own || url.empty()) return "";
  try {
    const std::optional<checkpoint::Head> head = checkpoint::CheckpointFolder(storages.for_url(url), url).head();
    return head && head->job != job.uid ? head->job : "";
  } catch (const std::exception&) {
    return "";  // No error here: the processes of the job use the same folder, and report the problem.
  }
}

}  // namespace carrack::control
