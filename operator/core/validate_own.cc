#include "operator/core/validate_own.h"

#include "operator/core/plan.h"
#include "operator/core/pod_template.h"

namespace carrack::control {
namespace {

using train::Role;

// Returns true if the template names an image. Adds a problem if not, since an image has no default.
bool has_image(const JobSpec& spec, Role role, Problems& problems) {
  const Node* container = trainer_container_of(spec, role);
  const bool has_it = container != nullptr && !text_in(*container, "image").empty();
  problems.expect(has_it, "spec.replicas." + std::string(train::spelled(role)) + ".template",
                  "names no image; set spec.containers[0] with name trainer, image and command");
  return has_it;
}

void check_role(const JobSpec& spec, Role role, Problems& problems) {
  const std::string field = "spec.replicas." + std::string(train::spelled(role));
  const int count = min_of(spec, role);  // With strategy Own every member is needed, so this is the number of members.
  const int max = role == Role::coordinator ? 1 : replicas_max;
  if (count == 0 && pod_options(spec, role) == PodOptions()) return;  // The job does not have this role.
  expect_range(count, 1, max, field + ".count", problems);
  has_image(spec, role, problems);
}

}  // namespace

void check_own(const JobSpec& spec, Problems& problems) {
  for (const auto& [role, name] : train::spellings<Role>) check_role(spec, role, problems);
  problems.expect(spec.own->coordinators > 0 || spec.own->workers > 0, "spec.replicas",
                  "has no worker; give worker, with the template of its pods");
  problems.expect(spec.own->framework != Framework::pytorch || spec.own->ps == 0, "spec.replicas.ps",
                  "PyTorch has no parameter servers; leave it out");
  problems.expect(!spec.run.progress_deadline, "spec.run.progressDeadlineSeconds",
                  "with strategy Own the steps of the program are not known; leave it out");
}

void check_own_worker(const JobSpec& spec, Problems& problems) {
  if (!has_image(spec, Role::worker, problems)) return;
  problems.expect(child(*trainer_container_of(spec, Role::worker), "command") != nullptr,
                  "spec.replicas.worker.template",
                  "names no command; with a model of kind Own give the container trainer the command that trains it");
}

}  // namespace carrack::control
