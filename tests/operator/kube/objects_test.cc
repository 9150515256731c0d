#include "operator/kube/objects.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "operator/codec/job.h"
#include "operator/kube/manifests.h"
#include "tests/operator/core/scene.h"
#include "trainer/launch/job_token.h"

namespace carrack::control {
namespace {

using nlohmann::json;

// A pod of ours as the API server has it, with this status.
json pod(const std::string& status) {
  const JobSpec spec = some_job();
  json object = pod_manifest(spec, "team", process_of(spec, worker(1), {2, 3}), {"image", {}});
  object["metadata"]["namespace"] = "team";
  object["metadata"]["resourceVersion"] = "4711";
  object["status"] = json::parse(status);
  return object;
}

ObservedProcess process_of_pod(const std::string& status) {
  return read_pod(pod(status))->value.process;
}

TEST(Pods, SayWhoseStartTheyAre) {
  const auto seen = read_pod(pod(R"({"phase": "Pending"})"));
  EXPECT_EQ(seen->job, "team/line");
  EXPECT_EQ(seen->name, "line-pvhrt-worker-1-2-3");
  EXPECT_EQ(seen->version, 4711U);
  EXPECT_EQ(seen->value.job_uid, "1b4e28ba");
  EXPECT_EQ(seen->value.process.name, seen->name);
  EXPECT_EQ(seen->value.process.member, worker(1));
  EXPECT_EQ(seen->value.process.fence, (train::Fence{2, 3}));
  EXPECT_EQ(seen->value.process.state, ProcessState::pending);
  EXPECT_EQ(seen->value.progress_address, "");
}

TEST(Pods, OfTheCoordinatorSayThatTheyServeAndWhereTheyTellOfTheJob) {
  const JobSpec spec = some_job();
  json object = pod_manifest(spec, "team", process_of(spec, coordinator, {0, 1}), {"image", {}});
  object["status"] = {{"podIP", "10.88.0.7"}, {"phase", "Running"}};
  EXPECT_TRUE(read_pod(object)->value.process.in_service);
  EXPECT_EQ(read_pod(object)->value.progress_address, "10.88.0.7:7401");
  object["status"]["podIP"] = "fd00::7";
  object["metadata"]["labels"].erase("carrack.dev/serves");
  EXPECT_FALSE(read_pod(object)->value.process.in_service);
  EXPECT_EQ(read_pod(object)->value.progress_address, "[fd00::7]:7401");
}

TEST(Pods, SayWhatKeepsThemFromRunning) {
  EXPECT_EQ(process_of_pod(R"({"phase": "Pending", "conditions": [{"type": "PodScheduled", "status": "False",
      "reason": "Unschedulable", "message": "0/3 nodes are available: 3 Insufficient cpu."}]})")
                .message,
            "0/3 nodes are available: 3 Insufficient cpu.");
  const std::string scheduled = R"({"phase": "Pending", "conditions": [{"type": "PodScheduled", "status": "True"}],
      "containerStatuses": [{"name": "trainer", "state": {"waiting": )";
  EXPECT_EQ(process_of_pod(scheduled + R"({"reason": "ErrImagePull", "message": "no such image"}}}]})").message,
            "ErrImagePull: no such image");
  EXPECT_EQ(process_of_pod(scheduled + R"({"reason": "ContainerCreating"}}}]})").message, "");
}

TEST(Pods, SayWhatKindOfWaitKeepsThemFromRunning) {
  const auto unscheduled = [](const std::string& message) {
    return process_of_pod(R"({"phase": "Pending", "conditions": [{"type": "PodScheduled", "status": "False",
        "reason": "Unschedulable", "message": ")" +
                          message + R"("}]})")
        .wait;
  };
  EXPECT_EQ(unscheduled("0/3 nodes are available: 3 Insufficient cpu."), Wait::unschedulable);
  EXPECT_EQ(unscheduled("0/3 nodes are available: pod has unbound immediate PersistentVolumeClaims."),
            Wait::volume_unavailable);
  EXPECT_EQ(unscheduled("persistentvolumeclaim data not found"), Wait::volume_unavailable);
  EXPECT_EQ(unscheduled("0/3 nodes are available: 3 node(s) had volume node affinity conflict."),
            Wait::volume_unavailable);
  const auto waiting = [](const std::string& reason) {
    return process_of_pod(R"({"phase": "Pending", "conditions": [{"type": "PodScheduled", "status": "True"}],
        "containerStatuses": [{"name": "trainer", "state": {"waiting": {"reason": ")" +
                          reason + R"("}}}]})")
        .wait;
  };
  for (const char* reason : {"ErrImagePull", "ImagePullBackOff", "InvalidImageName", "ErrImageNeverPull"}) {
    EXPECT_EQ(waiting(reason), Wait::image_unavailable) << reason;
  }
  EXPECT_EQ(waiting("CreateContainerConfigError"), Wait::node_refused);
  EXPECT_EQ(waiting("ContainerCreating"), Wait::starting);
  EXPECT_EQ(process_of_pod(R"({"phase": "Pending"})").wait, Wait::starting);
}

TEST(Pods, SayWhichNodeTheyAreOn) {
  json placed = pod(R"({"phase": "Pending"})");
  EXPECT_EQ(read_pod(placed)->value.process.node, "");
  placed["spec"]["nodeName"] = "node-7";
  EXPECT_EQ(read_pod(placed)->value.process.node, "node-7");
}

TEST(Pods, SayWhenTheirProcessRan) {
  const ObservedProcess running = process_of_pod(
      R"({"phase": "Running", "containerStatuses": [{"name": "trainer",
          "state": {"running": {"startedAt": "2026-11-26T03:00:00Z"}}}]})");
  const Time start = std::chrono::sys_days{std::chrono::year(2026) / 11 / 26} + std::chrono::hours(3);
  EXPECT_EQ(running.started_at, start);
  EXPECT_EQ(running.ended_at, std::nullopt);
  const ObservedProcess ended = process_of_pod(
      R"({"phase": "Succeeded", "containerStatuses": [{"name": "trainer", "state": {"terminated": {"exitCode": 0,
          "startedAt": "2026-11-26T03:00:00Z", "finishedAt": "2026-11-26T03:00:09Z"}}}]})");
  EXPECT_EQ(ended.started_at, start);
  EXPECT_EQ(ended.ended_at, start + std::chrono::seconds(9));
  const ObservedProcess untimed = process_of_pod(
      R"({"phase": "Failed", "containerStatuses": [{"name": "trainer", "state": {"terminated": {"exitCode": 1,
          "startedAt": null, "finishedAt": "soon"}}}]})");
  EXPECT_EQ(untimed.started_at, std::nullopt);
  EXPECT_EQ(untimed.ended_at, std::nullopt);
}

// What a node shows of a trainer that runs since 03:00:00, and of its pod.
json running_pod(const std::string& container, const std::string& ready_since, const std::string& ready = "False") {
  return pod(R"({"phase": "Running", "conditions": [
      {"type": "Ready", "status": "False", "lastTransitionTime": "2026-11-26T03:00:50Z"},
      {"type": "ContainersReady", "status": ")" +
             ready + R"(", "lastTransitionTime": ")" + ready_since + R"("}],
      "containerStatuses": [{"name": "proxy", "ready": false, "started": true, "state": {"running": {}}},
          {"name": "trainer", "state": {"running": {"startedAt": "2026-11-26T03:00:00Z"}}, )" +
             container + "}]}");
}

TEST(Pods, SaySinceWhenTheirTrainerDoesNotAnswer) {
  const ObservedProcess silent =
      read_pod(running_pod(R"("started": true, "ready": false)", "2026-11-26T03:00:41Z"))->value.process;
  EXPECT_EQ(silent.state, ProcessState::running);
  EXPECT_EQ(silent.silent_since, *silent.started_at + std::chrono::seconds(41));
  EXPECT_EQ(silent.message, "its /healthz did not answer");
}

TEST(Pods, DoNotTakeForSilentWhatAnswersOrHasNotYetOrIsOnALostNode) {
  const auto is_silent = [](const json& object) { return read_pod(object)->value.process.silent_since.has_value(); };
  const std::string later = "2026-11-26T03:00:41Z", start = "2026-11-26T03:00:00Z";
  // It answers; beside it, something else is not ready.
  EXPECT_FALSE(is_silent(running_pod(R"("started": true, "ready": true)", later)));
  // It has not answered yet, as a trainer of an earlier release; or it has a moment ago, for the first time.
  EXPECT_FALSE(is_silent(running_pod(R"("started": false, "ready": false)", later)));
  EXPECT_FALSE(is_silent(running_pod(R"("started": true, "ready": false)", start)));
  EXPECT_FALSE(is_silent(running_pod(R"("started": true, "ready": false)", "2026-11-26T02:59:58Z")));
  // Its node is lost: then Kubernetes says of the pod that it is not ready, and of its containers nothing new.
  EXPECT_FALSE(is_silent(running_pod(R"("started": true, "ready": true)", start, "True")));
  EXPECT_FALSE(is_silent(running_pod(R"("started": true, "ready": false)", "soon")));
  EXPECT_FALSE(is_silent(running_pod(R"("ready": false)", later)));
}

TEST(Pods, AreNotSilentWhereTheirNodeAsksNothingOrAsksAProgramOfTheUser) {
  json object = running_pod(R"("started": true, "ready": false)", "2026-11-26T03:00:41Z");
  const auto is_silent = [&] { return read_pod(object)->value.process.silent_since.has_value(); };
  json& trainer = object["spec"]["containers"][0];
  EXPECT_TRUE(is_silent());
  trainer["readinessProbe"]["httpGet"]["port"] = 8501;
  EXPECT_FALSE(is_silent());
  trainer["readinessProbe"] = {{"exec", {{"command", {"true"}}}}};
  EXPECT_FALSE(is_silent());
  trainer.erase("readinessProbe");
  EXPECT_FALSE(is_silent());
}

TEST(Pods, SayWhyTheClusterEndedThem) {
  const auto cause = [](const std::string& status) { return process_of_pod(status).cause; };
  const auto target = [&](const std::string& reason) {
    return cause(R"({"phase": "Failed", "conditions": [{"type": "DisruptionTarget", "status": "True", "reason": ")" +
                 reason + R"("}]})");
  };
  EXPECT_EQ(target("EvictionByEvictionAPI"), EndCause::evicted);
  EXPECT_EQ(target("TerminationByKubelet"), EndCause::evicted);
  EXPECT_EQ(target("PreemptionByScheduler"), EndCause::preempted);
  EXPECT_EQ(target("DeletionByTaintManager"), EndCause::node_lost);
  EXPECT_EQ(target("DeletionByPodGC"), EndCause::node_lost);
  EXPECT_EQ(cause(R"({"phase": "Failed", "reason": "Evicted"})"), EndCause::evicted);
  EXPECT_EQ(cause(R"({"phase": "Failed", "reason": "NodeShutdown"})"), EndCause::node_lost);
  EXPECT_EQ(cause(R"({"phase": "Failed", "reason": "Preempting"})"), EndCause::preempted);
  EXPECT_EQ(cause(R"({"phase": "Failed", "containerStatuses": [{"name": "trainer",
                      "state": {"terminated": {"exitCode": 137, "reason": "OOMKilled"}}}]})"),
            EndCause::out_of_memory);
  EXPECT_EQ(cause(R"({"phase": "Failed", "containerStatuses": [{"name": "trainer",
                      "state": {"terminated": {"exitCode": 1, "reason": "Error"}}}]})"),
            std::nullopt);
}

TEST(Pods, HaveTheFinalReportOfTheirCoordinator) {
  json object = pod(R"({"phase": "Failed", "containerStatuses": [{"name": "trainer",
      "state": {"terminated": {"exitCode": 82, "reason": "Error"}}}]})");
  const auto seen = [&](const std::string& message) {
    object["status"]["containerStatuses"][0]["state"]["terminated"]["message"] = message;
    return read_pod(object)->value.process;
  };
  const train::Fence fence = seen("").fence;
  const std::string uid = object["metadata"]["ownerReferences"][0]["uid"];
  const auto report = [&](const std::string& job) {
    return R"({"job":")" + job + R"(","attempt":)" + std::to_string(fence.attempt) + R"(,"incarnation":)" +
           std::to_string(fence.incarnation) + R"(,"step":45,"total_steps":100})" + "\n";
  };
  ObservedProcess process = seen(report(train::job_token(uid)) + "log: step 45\nno memory\n");
  ASSERT_TRUE(process.final_report);
  EXPECT_EQ(process.final_report->progress.step, 45);
  EXPECT_EQ(process.message, "no memory");
  process = seen(report("another"));
  EXPECT_FALSE(process.final_report);
  EXPECT_FALSE(seen("no memory").final_report);
}

TEST(Pods, SayHowTheirProcessEnded) {
  const auto ended = [](const std::string& terminated) {
    return process_of_pod(R"({"phase": "Failed", "containerStatuses": [{"name": "trainer", "state": {"terminated": )" +
                          terminated + "}}]}");
  };
  const ObservedProcess user_error = ended(R"({"exitCode": 81, "reason": "Error", "message": "no file matches\n"})");
  EXPECT_EQ(user_error.state, ProcessState::exited);
  EXPECT_FALSE(user_error.never_ran);
  EXPECT_EQ(user_error.exit_code, 81);
  EXPECT_EQ(user_error.message, "no file matches");
  EXPECT_EQ(ended(R"({"exitCode": 81, "message": "log: indexing 1 of 2 files\nno file matches\n"})").message,
            "no file matches");
  EXPECT_FALSE(user_error.disrupted);
  const ObservedProcess killed = ended(R"({"exitCode": 137, "reason": "OOMKilled", "message": "step 7"})");
  EXPECT_EQ(killed.exit_code, 137);
  EXPECT_EQ(killed.message, "OOMKilled: step 7");
  EXPECT_EQ(ended(R"({"exitCode": 0, "reason": "Completed"})").message, "");
}

TEST(Pods, HaveNoControlCharactersInTheirMessages) {
  EXPECT_EQ(process_of_pod(R"({"phase": "Pending", "conditions": [{"type": "PodScheduled", "status": "False",
      "message": "\u001b[2Jno node"}]})")
                .message,
            "\\x1b[2Jno node");
  EXPECT_EQ(process_of_pod(R"({"phase": "Failed", "reason": "\u0007", "message": "\u001b]0;x"})").message,
            "\\x07: \\x1b]0;x");
  EXPECT_EQ(process_of_pod(R"({"phase": "Failed", "containerStatuses": [{"name": "trainer", "state":
      {"terminated": {"exitCode": 81, "message": "red \u001b[31m"}}}]})")
                .message,
            "red \\x1b[31m");
}

TEST(Pods, AreTheTrainersWhateverElseWasPutBesideIt) {
  const ObservedProcess ended = process_of_pod(R"({"phase": "Running", "containerStatuses": [
      {"name": "proxy", "state": {"running": {}}}, {"name": "trainer", "state": {"terminated": {"exitCode": 82}}}]})");
  EXPECT_EQ(ended.state, ProcessState::exited);
  EXPECT_EQ(ended.exit_code, 82);
}

TEST(Pods, HoldTheirNodeWhileASidecarGoesOnWithoutTheTrainer) {
  const auto holds_node = [](const std::string& others) {
    return process_of_pod(R"({"phase": "Running", "containerStatuses": [{"name": "trainer", "state": {"terminated":
        {"exitCode": 0}}})" +
                          others + "]}")
        .holds_node;
  };
  EXPECT_FALSE(holds_node(""));
  EXPECT_FALSE(holds_node(R"(, {"name": "proxy", "state": {"terminated": {"exitCode": 0}}})"));
  EXPECT_TRUE(holds_node(R"(, {"name": "proxy", "state": {"running": {}}})"));
  EXPECT_TRUE(holds_node(R"(, {"name": "proxy", "state": {"waiting": {"reason": "ImagePullBackOff"}}})"));
  EXPECT_FALSE(holds_node(R"(], "initContainerStatuses": [{"name": "native", "state": {"running": {}}})"));
  EXPECT_FALSE(
      process_of_pod(R"({"phase": "Running", "containerStatuses": [{"name": "trainer", "state": {"running": {}}},
      {"name": "proxy", "state": {"running": {}}}]})")
          .holds_node);
}

TEST(Pods, SayWhatKeepsTheirInitContainersFromRunning) {
  const auto process = [](const std::string& state) {
    return process_of_pod(R"({"phase": "Pending", "containerStatuses": [{"name": "trainer", "state": {"waiting":
        {"reason": "PodInitializing"}}}], "initContainerStatuses": [{"name": "ready", "state": {"terminated":
        {"exitCode": 0}}}, {"name": "fetch", "state": )" +
                          state + "}]}");
  };
  EXPECT_EQ(process(R"({"running": {}})").message, "");
  EXPECT_EQ(process(R"({"waiting": {"reason": "PodInitializing"}})").message, "");
  const ObservedProcess waits = process(R"({"waiting": {"reason": "ErrImagePull", "message": "no such image"}})");
  EXPECT_EQ(waits.message, "ErrImagePull: no such image");
  EXPECT_EQ(waits.wait, Wait::image_unavailable);
}

TEST(Pods, SayWhichInitContainerFailed) {
  const ObservedProcess failed =
      process_of_pod(R"({"phase": "Failed", "containerStatuses": [{"name": "trainer", "state":
      {"waiting": {"reason": "PodInitializing"}}}], "initContainerStatuses": [{"name": "fetch", "state": {"terminated":
      {"exitCode": 3, "reason": "Error"}}}]})");
  EXPECT_TRUE(failed.never_ran);
  EXPECT_TRUE(failed.init_failed);
  EXPECT_EQ(failed.message, "init container fetch ended with exit code 3");
}

TEST(Pods, DoNotNameANativeSidecarAsTheInitContainerThatFailed) {
  json object = pod(R"({"phase": "Failed", "reason": "Evicted", "containerStatuses": [{"name": "trainer", "state":
      {"waiting": {"reason": "PodInitializing"}}}], "initContainerStatuses": [{"name": "proxy", "state": {"terminated":
      {"exitCode": 143}}}, {"name": "fetch", "state": {"waiting": {"reason": "PodInitializing"}}}]})");
  object["spec"]["initContainers"] =
      json::parse(R"([{"name": "proxy", "restartPolicy": "Always"}, {"name": "fetch"}])");
  EXPECT_FALSE(read_pod(object)->value.process.init_failed);
  EXPECT_EQ(read_pod(object)->value.process.message, "Evicted");
  object["status"].erase("reason");
  object["status"]["initContainerStatuses"][1]["state"] = json::parse(R"({"terminated": {"exitCode": 1}})");
  EXPECT_TRUE(read_pod(object)->value.process.init_failed);
  EXPECT_EQ(read_pod(object)->value.process.message, "init container fetch ended with exit code 1");
}

// The container's end is told before the pod's phase follows.
TEST(Pods, HaveEndedWithTheirContainerWhateverTheirPhase) {
  EXPECT_EQ(
      process_of_pod(
          R"({"phase": "Running", "containerStatuses": [{"name": "trainer", "state": {"terminated": {"exitCode": 82}}}]})")
          .state,
      ProcessState::exited);
}

TEST(Pods, ThatNeverRanSayWhy) {
  const ObservedProcess refused = process_of_pod(
      R"({"phase": "Failed", "reason": "OutOfcpu", "message": "Node didn't have enough resource: cpu"})");
  EXPECT_EQ(refused.state, ProcessState::exited);
  EXPECT_EQ(refused.exit_code, 137);
  EXPECT_TRUE(refused.never_ran);
  EXPECT_FALSE(refused.init_failed);
  EXPECT_EQ(refused.message, "OutOfcpu: Node didn't have enough resource: cpu");
}

TEST(Pods, SayThatTheClusterEndsThem) {
  const ObservedProcess evicted = process_of_pod(R"({"phase": "Failed", "reason": "Evicted", "message": "low on memory",
      "conditions": [{"type": "DisruptionTarget", "status": "True", "reason": "TerminationByKubelet"}]})");
  EXPECT_TRUE(evicted.disrupted);
  json leaving = pod(R"({"phase": "Running", "containerStatuses": [{"name": "trainer", "state": {"running": {}}}]})");
  EXPECT_EQ(read_pod(leaving)->value.process.state, ProcessState::running);
  EXPECT_FALSE(read_pod(leaving)->value.process.terminating);
  leaving["metadata"]["deletionTimestamp"] = "2026-11-21T15:00:00Z";
  EXPECT_TRUE(read_pod(leaving)->value.process.terminating);
}

TEST(Pods, OfOthersAreNone) {
  json other = pod("{}");
  for (const char* label : {"job", "role", "index", "attempt", "incarnation"}) {
    json without = other;
    without["metadata"]["labels"].erase(std::string("carrack.dev/") + label);
    EXPECT_FALSE(read_pod(without)) << label;
    without["metadata"]["labels"][std::string("carrack.dev/") + label] = "-1x";
    EXPECT_EQ(read_pod(without).has_value(), std::string(label) == "job") << label;
  }
  for (const char* none : {"{}", "[]", "null", "7", R"({"metadata": 3, "status": []})"}) {
    EXPECT_FALSE(read_pod(json::parse(none))) << none;
    EXPECT_FALSE(read_shared_object(json::parse(none))) << none;
    EXPECT_FALSE(read_job(json::parse(none))) << none;
  }
}

TEST(Jobs, AreWhatTheirObjectSays) {
  const JobSpec spec = some_job();
  json object = json::parse(to_json(job_node(spec)));
  object["metadata"]["namespace"] = "team";
  object["metadata"]["resourceVersion"] = "12";
  const auto seen = read_job(object);
  EXPECT_EQ(seen->job, "team/line");
  EXPECT_EQ(seen->version, 12U);
  EXPECT_EQ(seen->value.spec, spec);
  EXPECT_TRUE(seen->value.problems.empty());
  EXPECT_FALSE(seen->value.is_being_deleted);
  object["metadata"]["deletionTimestamp"] = "2026-11-21T15:00:00Z";
  EXPECT_TRUE(read_job(object)->value.is_being_deleted);
  object["spec"]["strategy"] = "OfAnotherRelease";
  EXPECT_FALSE(read_job(object)->value.problems.empty());
}

TEST(Jobs, HaveTheirNameAndUidInTheCheckpointFolder) {
  JobSpec spec = some_job();
  spec.config.checkpoint.folder = "gs://b/$(NAME)/$(UID)-$(UID)";
  json object = json::parse(to_json(job_node(spec)));
  EXPECT_EQ(read_job(object)->value.spec.config.checkpoint.folder,
            "gs://b/" + spec.name + "/" + spec.uid + "-" + spec.uid);
}

TEST(Parsing, LeavesOutWhatNobodyReadsAndWhatIsTooDeep) {
  EXPECT_EQ(parse_object(R"({"metadata": {"name": "a", "managedFields": [{"manager": "b"}]}})"),
            json::parse(R"({"metadata": {"name": "a"}})"));
  const std::string deep = std::string(100'000, '[') + std::string(100'000, ']');
  EXPECT_LT(parse_object(deep).dump().size(), 200U);
  EXPECT_TRUE(parse_object("{\"a\":").is_discarded());
}

}  // namespace
}  // namespace carrack::control
