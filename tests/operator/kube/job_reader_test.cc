// Events as a user's view of a job has them.
#include "operator/kube/job_reader.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "operator/core/plan.h"
#include "tests/operator/api_server/connected.h"
#include "tests/operator/core/own_job.h"

namespace carrack::control {
namespace {

using nlohmann::json;

Time at(int hour, int minute, int second) {
  using std::chrono::sys_days, std::chrono::year;
  return sys_days{year(2026) / 1 / 31} + std::chrono::hours(hour) + std::chrono::minutes(minute) + seconds(second);
}

TEST(SeenEvents, AreReadAsTheSchedulerWritesThem) {
  const json event = {{"regarding", {{"kind", "Pod"}, {"name", "line-a-worker-0-0-1"}}},
                      {"type", "Warning"},
                      {"reason", "FailedScheduling"},
                      {"note", "0/3 nodes are available"},
                      {"eventTime", "2026-01-31T10:00:00.123456Z"},
                      {"series", {{"count", 3}, {"lastObservedTime", "2026-01-31T10:05:00.000001Z"}}}};
  EXPECT_EQ(read_event(event),
            (SeenEvent{"line-a-worker-0-0-1", true, "FailedScheduling", "0/3 nodes are available", 3, at(10, 5, 0)}));
}

TEST(SeenEvents, AreReadAsTheKubeletWritesThem) {
  const json event = {{"regarding", {{"kind", "Pod"}, {"name", "line-a-ps-0-0-1"}}},
                      {"type", "Warning"},
                      {"reason", "BackOff"},
                      {"note", "Back-off pulling \x1b image"},
                      {"eventTime", nullptr},
                      {"deprecatedCount", 12},
                      {"deprecatedLastTimestamp", "2026-01-31T10:00:07Z"}};
  EXPECT_EQ(read_event(event),
            (SeenEvent{"line-a-ps-0-0-1", true, "BackOff", "Back-off pulling \\x1b image", 12, at(10, 0, 7)}));
}

TEST(SeenEvents, AboutTheJobHaveNoPod) {
  const json event = {{"regarding", {{"kind", "TrainingJob"}, {"name", "line"}}},
                      {"type", "Normal"},
                      {"reason", "JobCreated"},
                      {"eventTime", "2026-01-31T10:00:00.000000Z"}};
  EXPECT_EQ(read_event(event), (SeenEvent{"", false, "JobCreated", "", 1, at(10, 0, 0)}));
}

TEST(SeenEvents, OfAnyJsonAreEvents) {
  for (const char* text : {"null", "[]", "{}", R"({"series": 3, "eventTime": "yesterday", "deprecatedCount": -5})"}) {
    EXPECT_EQ(read_event(json::parse(text)), SeenEvent{}) << text;
  }
}

// What the API server has of a small job with one worker that waits.
const json job = {
    {"apiVersion", "carrack.dev/v1alpha1"},
    {"kind", "TrainingJob"},
    {"metadata", {{"name", "line"}, {"namespace", "team"}, {"uid", "1b4e28ba"}, {"resourceVersion", "7"}}},
    {"spec",
     {{"strategy", "ParameterServer"},
      {"model", {{"kind", "LinearRegression"}, {"input", "x"}, {"target", "y"}}},
      {"data",
       {{"train", {{"files", {"gs://b/x"}}}},
        {"features", {{"x", {{"type", "float32"}}}, {"y", {{"type", "float32"}}}}}}},
      {"training", {{"batch", 32}, {"optimizer", {{"kind", "SGD"}}}}},
      {"checkpoint", {{"folder", "gs://b/out"}}}}}};

json pod_of(const std::string& name, const std::string& owner) {
  return {{"metadata",
           {{"name", name},
            {"namespace", "team"},
            {"labels",
             {{"carrack.dev/job", "line"},
              {"carrack.dev/role", "worker"},
              {"carrack.dev/index", "0"},
              {"carrack.dev/attempt", "0"},
              {"carrack.dev/incarnation", "1"}}},
            {"ownerReferences", {{{"kind", "TrainingJob"}, {"uid", owner}, {"controller", true}}}}}},
          {"spec", {{"nodeName", "node-1"}}},
          {"status", {{"phase", "Pending"}}}};
}

const std::string forbidden = R"({"kind":"Status","reason":"Forbidden","message":"pods is forbidden"})";

struct JobOfUser {
  explicit JobOfUser(const ScriptedServer& server)
      : credentials(server.access(), {}, any_clock), reader(credentials, {"team", "line"}) {}
  Credentials credentials;
  JobReader reader;
};

TEST(JobReader, ReadsTheJobAndThePodsThatItOwns) {
  const json pods = {{"items", {pod_of("line-a-worker-0-0-1", "1b4e28ba"), pod_of("copied", "other")}}};
  ScriptedServer server(answers({reply_text(200, job.dump()), reply_text(200, pods.dump())}));
  const JobView view = JobOfUser(server).reader.view(at(10, 0, 0));
  EXPECT_EQ(view.spec.uid, "1b4e28ba");
  EXPECT_EQ(view.gaps, std::vector<std::string>());
  ASSERT_EQ(view.processes.size(), 1U);
  EXPECT_EQ(view.processes[0].name, "line-a-worker-0-0-1");
  EXPECT_EQ(view.processes[0].node, "node-1");
}

TEST(JobReader, GoesOnWithoutTheRightToPods) {
  ScriptedServer server(answers({reply_text(200, job.dump()), reply_text(403, forbidden)}));
  const JobView view = JobOfUser(server).reader.view(at(10, 0, 0));
  EXPECT_FALSE(view.has_processes);
  EXPECT_EQ(view.gaps, std::vector<std::string>{"its pods: pods is forbidden"});
}

json event_about(const char* kind, const char* name, const char* uid) {
  return {{"regarding", {{"kind", kind}, {"name", name}, {"uid", uid}}}, {"type", "Warning"}, {"reason", "R"}};
}

TEST(JobReader, ReadsEventsInPages) {
  const json of_job = {
      {"items",
       {event_about("TrainingJob", "line", "1b4e28ba"), event_about("TrainingJob", "line", "of-a-job-before")}}};
  const json first = {{"metadata", {{"continue", "more"}}},
                      {"items", {event_about("Pod", "other-a-worker-0-0-1", "")}}};
  JobView view;
  view.spec.name = "line";
  view.spec.uid = "1b4e28ba";
  const std::string pod = process_name(view.spec, {train::Role::worker, 0}, {0, 1});
  const json second = {{"items", {event_about("Pod", pod.c_str(), "")}}};
  ScriptedServer server(
      answers({reply_text(200, of_job.dump()), reply_text(200, first.dump()), reply_text(200, second.dump())}));
  JobOfUser(server).reader.add_events(view);
  ASSERT_EQ(view.events.size(), 2U);
  EXPECT_EQ(view.events[0].pod, "");
  EXPECT_EQ(view.events[1].pod, pod);
  EXPECT_EQ(view.gaps, std::vector<std::string>());
}

TEST(JobReader, SaysThatItHasNotReadAllEvents) {
  JobView view;
  view.spec = own_job({});
  const std::string pod = process_name(view.spec, {train::Role::worker, 0}, {0, 1});
  const json page = {{"metadata", {{"continue", "more"}}}, {"items", {event_about("Pod", pod.c_str(), "")}}};
  std::vector<std::string> replies(11, reply_text(200, page.dump()));
  replies.front() = reply_text(200, R"({"items": []})");
  ScriptedServer server(answers(replies));
  JobOfUser(server).reader.add_events(view);
  EXPECT_EQ(view.events.size(), 10U);
  EXPECT_EQ(server.requests().size(), 11U);
  EXPECT_EQ(view.gaps,
            std::vector<std::string>{"some events: namespace team has more than 5,000 with regarding.kind=Pod,"
                                     "type=Warning, and only the first 5,000 were read"});
}

TEST(JobReader, LeavesOutWarningsAboutPodsOfOtherJobs) {
  JobView view;
  view.spec = own_job({});
  const std::string pod = process_name(view.spec, {train::Role::worker, 0}, {0, 1});
  const json of_pods = {
      {"items", {event_about("Pod", "other-a-worker-0-0-1", ""), event_about("Pod", pod.c_str(), "")}}};
  ScriptedServer server(answers({reply_text(200, R"({"items": []})"), reply_text(200, of_pods.dump())}));
  JobOfUser(server).reader.add_events(view);
  ASSERT_EQ(view.events.size(), 1U);
  EXPECT_EQ(view.events[0].pod, pod);
}

TEST(JobReader, SaysWhyThereIsNoJobToRead) {
  const auto error_of_reply = [](int status, const std::string& message) {
    ScriptedServer server(answers({reply_text(status, json{{"kind", "Status"}, {"message", message}}.dump())}));
    try {
      JobOfUser(server).reader.view({});
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  const std::string name = "TrainingJob line in namespace team: ";
  EXPECT_EQ(error_of_reply(404, "trainingjobs.carrack.dev \"line\" not found"),
            name + "there is none; `kubectl get trainingjobs -A` lists all");
  EXPECT_EQ(error_of_reply(404, "the server could not find the requested resource"),
            "this cluster has no TrainingJobs; install the chart, or choose another --context");
  EXPECT_EQ(error_of_reply(403, "no"),
            name + "you may not read it: no; have a role bound to you that may, such as `view`");
  EXPECT_EQ(error_of_reply(500, "etcd is gone"), name + "cannot be read: etcd is gone");
}

}  // namespace
}  // namespace carrack::control
