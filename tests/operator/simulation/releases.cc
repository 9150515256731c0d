#include "tests/operator/simulation/releases.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "operator/codec/job.h"
#include "operator/kube/status_patch.h"
#include "tests/operator/simulation/checkers.h"

namespace carrack::simulation {
namespace {

using control::DecodedJob;
using control::JobSpec;
using control::JobStatus;
using nlohmann::json;

constexpr const char* newer_field = "queue";
constexpr const char* newer_condition = "Paused";

DecodedJob decoded(const JobSpec& spec, const json& status) {
  json object = json::parse(to_json(control::job_node(spec)));
  object["status"] = status;
  return control::decode_stored_job(object.dump());
}

bool has_newer_condition(const json& status) {
  const json conditions = status.value("conditions", json::array());
  return std::ranges::any_of(conditions, [](const json& one) { return one["type"] == newer_condition; });
}

void add_newer(json& status) {
  status[newer_field] = "a";
  if (has_newer_condition(status)) return;
  status["conditions"].push_back({{"type", newer_condition},
                                  {"status", "False"},
                                  {"reason", "NotPaused"},
                                  {"lastTransitionTime", "2026-01-01T00:00:00Z"}});
}

void expect_kept(const json& before, const json& after) {
  for (const char* field : {newer_field, "workerSelector"}) {
    if (before.contains(field) && !after.contains(field))
      violated("what another release has written stays", std::string("status.") + field + " is gone");
  }
  if (has_newer_condition(before) && !has_newer_condition(after))
    violated("what another release has written stays", std::string("condition ") + newer_condition + " is gone");
}

}  // namespace

JobStatus known_to(Release release, JobStatus status) {
  if (release != Release::older) return status;
  status.worker_selector.clear();
  for (auto& [member, start] : status.members) start.reported_hung.reset();
  return status;
}

JobObject written_by(Release release, const JobObject& before, const JobStatus& status, bool is_patched) {
  const json stored = before.stored ? *before.stored : json::object();
  json after = stored;
  if (is_patched) {
    const DecodedJob read = decoded(*before.spec, stored);
    after.merge_patch(status_patch({"1", known_to(release, read.status), read.newer_conditions}, status)["status"]);
  } else {
    after = json::parse(to_json(control::status_node(status)));
  }
  if (release == Release::newer) add_newer(after);
  expect_kept(stored, after);
  const DecodedJob written = decoded(*before.spec, after);
  if (known_to(release, written.status) != status) violated("a stored status is read as it was", after.dump());
  return {before.spec, written.status, std::make_shared<const json>(after)};
}

}  // namespace carrack::simulation
