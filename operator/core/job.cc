#include "operator/core/job.h"

namespace carrack::control {
namespace {

void replace_all(std::string& text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != text.npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

}  // namespace

const PodOptions& pod_options(const JobSpec& spec, train::Role role) {
  switch (role) {
    case train::Role::coordinator:
      return spec.coordinator_pod;
    case train::Role::ps:
      return spec.ps_pod;
    case train::Role::worker:
      break;
  }
  return spec.worker_pod;
}

bool runs_own_program(const JobSpec& spec, train::Role role) {
  return spec.own || (role == train::Role::worker && train::is_own(spec.config.model));
}

void fill_in_folder(JobSpec& spec) {
  replace_all(spec.config.checkpoint.folder, "$(NAME)", spec.name);
  replace_all(spec.config.checkpoint.folder, "$(UID)", spec.uid);
}

}  // namespace carrack::control
