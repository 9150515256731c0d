#include "operator/core/pod_paths.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <variant>

#include "operator/core/pod_template.h"
#include "operator/core/problems.h"
#include "trainer/launch/stages.h"

namespace carrack::control {
namespace {

using train::Role;

// Returns the folders at which the template mounts volumes into the trainer's container.
std::vector<std::string> mounts_of(const PodOptions& pod) {
  std::vector<std::string> mounts;
  const Node* container = pod.pod_template ? trainer_container_in(*pod.pod_template) : nullptr;
  if (!container) return mounts;
  for (const Node& mount : list_in(*container, "volumeMounts")) mounts.push_back(text_in(mount, "mountPath"));
  return mounts;
}

bool lies_in(std::string_view path, std::string_view folder) {
  while (folder.ends_with('/')) folder.remove_suffix(1);
  return !folder.empty() && path.starts_with(folder) && (path.size() == folder.size() || path[folder.size()] == '/');
}

using Roles = std::vector<Role>;

class Paths {
 public:
  explicit Paths(const JobSpec& spec) : spec_(spec) {}

  // Adds a problem if the path is on no volume of the pods of these roles, which use the path. With strategy Single
  // there are only pods of the role worker.
  void check(const std::string& path_or_url, const std::string& field, const Roles& roles) {
    constexpr std::string_view of_file = "file://";
    const bool is_file_url = path_or_url.starts_with(of_file);
    if (path_or_url.empty() || (!is_file_url && path_or_url.find("://") != path_or_url.npos)) return;
    const std::string path = path_or_url.substr(is_file_url ? of_file.size() : 0);
    std::string lacking;
    for (const Role role : spec_.config.strategy == train::Strategy::single ? Roles{Role::worker} : roles) {
      const std::vector<std::string> mounts = mounts_of(pod_options(spec_, role));
      if (std::ranges::any_of(mounts, [&](const std::string& mount) { return lies_in(path, mount); })) continue;
      lacking +=
          (lacking.empty() ? "" : " and ") + ("spec.replicas." + std::string(train::spelled(role))) + ".template";
    }
    problems_.expect(lacking.empty(), field,
                     "'" + path_or_url + "' is on no volume in pods; mount one there in " + lacking + ", or use gs://");
  }

  void check(const std::vector<std::string>& files, const std::string& field, const Roles& roles) {
    for (std::size_t at = 0; at < files.size(); ++at) check(files[at], field + "[" + to_text(at) + "]", roles);
  }

  std::vector<Problem> found() { return problems_.found(); }

 private:
  const JobSpec& spec_;
  Problems problems_;
};

}  // namespace

std::vector<Problem> paths_on_no_volume(const JobSpec& spec) {
  const Roles readers = {Role::coordinator, Role::worker};
  const Roles all = {Role::coordinator, Role::ps, Role::worker};
  const train::Data& data = spec.config.data;
  Paths paths(spec);
  paths.check(data.files, "spec.data.train.files", readers);
  for (std::size_t at = 0; at < data.mix.size(); ++at)
    paths.check(data.mix[at].files, "spec.data.train.mix[" + to_text(at) + "].files", readers);
  for (std::size_t at = 0; at < data.stages.size(); ++at) {
    if (const auto* snapshot = std::get_if<train::Snapshot>(&data.stages[at]))
      paths.check(snapshot->folder, "spec.data.train.stages[" + to_text(at) + "].snapshot.folder", readers);
  }
  if (data.evaluation) paths.check(data.evaluation->files, "spec.data.eval.files", {Role::coordinator});
  if (const auto& weights = spec.config.training.initial_weights)
    paths.check(weights->from, "spec.training.initialWeights.from", {Role::coordinator, Role::ps});
  paths.check(spec.config.checkpoint.folder, "spec.checkpoint.folder", all);
  paths.check(spec.config.checkpoint.resume, "spec.checkpoint.resume", all);
  return paths.found();
}

}  // namespace carrack::control
