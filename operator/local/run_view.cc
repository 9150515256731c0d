#include "operator/local/run_view.h"

#include <filesystem>
#include <optional>
#include <utility>

#include "operator/error.h"
#include "operator/local/run_folder.h"

namespace carrack::control {

JobView view_run(const std::string& folder, Time now) {
  std::error_code failed;
  if (!std::filesystem::is_directory(folder, failed)) {
    throw Error(Blame::user, folder + ": is not a folder; name that of a `carrack run`, or a job without any '/'");
  }
  // The lock is checked before the job is read. If it were checked after, a run that ends in between would look as if
  // it had stopped without saving its end.
  const bool is_at_work = is_run_at_work(folder);
  std::optional<SavedJob> saved = read_saved_job(folder);
  if (!saved) {
    throw Error(Blame::user,
                folder + ": holds no run; name the --folder of a `carrack run`, by default carrack-runs/NAME");
  }
  return {.spec = std::move(saved->spec),
          .status = std::move(saved->status),
          .place = Place::this_machine,
          .where = folder,
          .is_at_work = is_at_work,
          .now = now};
}

}  // namespace carrack::control
