#include "operator/kube/status_patch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "operator/codec/job.h"
#include "tests/operator/core/scene.h"

namespace carrack::control {
namespace {

using nlohmann::json;
using testing::IsEmpty;

json json_of(const Node& node) {
  return json::parse(to_json(node));
}

JobStatus running_status() {
  Scene scene;
  scene.start_all();
  return scene.status;
}

// As a server that has `status` stores the patch.
json patched(json status, const json& patch) {
  status.merge_patch(patch["status"]);
  return status;
}

TEST(StatusPatch, OfANewJobHasEveryField) {
  const JobStatus status = running_status();
  const json patch = status_patch({"5", {}, {}}, status);
  EXPECT_EQ(patch["metadata"]["resourceVersion"], "5");
  EXPECT_EQ(patch["status"], json_of(status_node(status)));
}

TEST(StatusPatch, NamesWhatHasChangedAndNothingElse) {
  const JobStatus before = running_status();
  EXPECT_EQ(status_patch({"5", before, {}}, before)["status"], json::object());
  JobStatus after = before;
  after.progress = Progress{20, 100};
  after.members.at(worker(1)) = {2, false, 1, {}};
  EXPECT_EQ(status_patch({"5", before, {}}, after)["status"], json::parse(R"({"progress":{"step":20,"steps":100},
                            "members":{"worker-1":{"incarnation":2,"ended":false,"failures":1}}})"));
  EXPECT_EQ(status_patch({"5", after, {}}, before)["status"],
            json::parse(R"({"progress":null,"members":{"worker-1":null}})"));
}

TEST(StatusPatch, LeavesWhatANewerReleaseHasWritten) {
  const JobStatus before = running_status();
  json stored = json_of(status_node(before));
  stored["lease"] = "a";
  stored["replicas"]["evaluator"] = {{"desired", 1}};
  stored["replicas"]["worker"]["ready"] = 2;
  stored["conditions"][1]["severity"] = 4;
  const json stalled = {{"type", "Paused"}, {"status", "Unknown"}};
  stored["conditions"].insert(stored["conditions"].begin(), stalled);
  const json object = {{"apiVersion", "carrack.dev/v1alpha1"}, {"kind", "TrainingJob"}, {"status", stored}};
  const DecodedJob decoded = decode_stored_job(object.dump());
  ASSERT_EQ(decoded.status, before);
  JobStatus after = before;
  set_condition(after, {ConditionType::running, false, "Draining", "", {}});
  after.replicas.at(train::Role::worker).running = 1;
  const json result = patched(stored, status_patch({"5", decoded.status, decoded.newer_conditions}, after));
  EXPECT_EQ(result["lease"], "a");
  EXPECT_EQ(result["replicas"]["evaluator"]["desired"], 1);
  EXPECT_EQ(result["replicas"]["worker"]["ready"], 2);
  EXPECT_EQ(result["replicas"]["worker"]["running"], 1);
  const json all = {{"apiVersion", "carrack.dev/v1alpha1"}, {"kind", "TrainingJob"}, {"status", result}};
  EXPECT_EQ(decode_stored_job(all.dump()).status, after);
  std::map<std::string, json> conditions;
  for (const json& condition : result["conditions"]) conditions[condition["type"]] = condition;
  EXPECT_EQ(conditions.size(), stored["conditions"].size());
  EXPECT_EQ(conditions["Paused"]["status"], "Unknown");
  EXPECT_EQ(conditions["Running"]["reason"], "Draining");
}

TEST(StatusPatch, KeepsTheFieldsOfAConditionThatThisReleaseDoesNotKnow) {
  JobStatus before = running_status();
  Node newer;
  const json condition = {{"type", "Running"}, {"status", "Unknown"}, {"severity", 4}};
  newer = std::get<Node>(parse_json(condition.dump()));
  JobStatus after = before;
  set_condition(after, {ConditionType::running, false, "Draining", "", {}});
  const json patch = status_patch({"5", before, {newer}}, after);
  for (const json& one : patch["status"]["conditions"]) {
    const bool is_running = one["type"] == "Running";
    EXPECT_EQ(one.contains("severity"), is_running);
    EXPECT_TRUE(!is_running || one["status"] == "False");
  }
}

TEST(DroppedField, IsOneThatWasSentAndIsNotInTheReply) {
  const json sent =
      json::parse(R"({"attempt":1,"progress":null,"members":{"ps-0":{"failures":1}},"conditions":[{"a":1}]})");
  EXPECT_THAT(dropped_field(sent, sent, "status"), IsEmpty());
  json stored = sent;
  stored.erase("progress");
  stored["other"] = 1;
  stored["attempt"] = 2;  // a value of another spelling is no dropped field
  EXPECT_THAT(dropped_field(sent, stored, "status"), IsEmpty());
  stored["members"]["ps-0"] = json::object();
  EXPECT_EQ(dropped_field(sent, stored, "status"), "status.members.ps-0.failures");
  stored["members"] = sent["members"];
  stored["conditions"][0] = json::object();
  EXPECT_EQ(dropped_field(sent, stored, "status"), "status.conditions[0].a");
  EXPECT_EQ(dropped_field(sent, json(), "status"), "status");
}

}  // namespace
}  // namespace carrack::control
