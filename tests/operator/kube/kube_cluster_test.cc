// What a cluster makes of an API server's objects and replies that no real one gives at will: pods that only look like
// ours, refusals of every kind, jobs of another release, and a server that was given an older state.
#include "operator/kube/kube_cluster.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "operator/codec/job.h"
#include "operator/error.h"
#include "tests/operator/api_server/connected.h"
#include "tests/operator/core/scene.h"

namespace carrack::control {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

const PodSettings pods_run{"image", {}};

json object_of(json object, const std::string& version) {
  object["metadata"]["namespace"] = "team";
  object["metadata"]["resourceVersion"] = version;
  return object;
}

json job_object(const JobSpec& spec) {
  return object_of(json::parse(to_json(job_node(spec))), "5");
}

json pod_object(const JobSpec& spec, const train::Member& member, const train::Fence& fence) {
  json pod = object_of(pod_manifest(spec, "team", process_of(spec, member, fence), pods_run), "6");
  pod["status"] = {{"phase", "Running"},
                   {"podIP", "10.0.0." + std::to_string(fence.incarnation)},
                   {"containerStatuses", {{{"name", "trainer"}, {"state", {{"running", json::object()}}}}}}};
  return pod;
}

// Has these objects, watches that bring nothing, and an answer to every change.
class Server {
 public:
  // By the last part of a path. Once the server was sent a request, change_jobs() alone may change them.
  std::map<std::string, std::vector<json>> objects;

  explicit Server(std::vector<json> jobs = {job_object(some_job())}) { objects["trainingjobs"] = std::move(jobs); }

  void be_at(const std::string& version) {
    const std::lock_guard lock(mutex_);
    version_ = version;
  }
  void change_jobs(std::vector<json> jobs) {
    const std::lock_guard lock(mutex_);
    objects["trainingjobs"] = std::move(jobs);
  }
  // Lists nothing of this namespace from now on, until another one is given.
  void refuse(const std::string& name_space) {
    const std::lock_guard lock(mutex_);
    refused_ = "/namespaces/" + name_space + "/";
  }
  // To every change, from now on.
  void answer(int status, const json& body) {
    const std::lock_guard lock(mutex_);
    answer_ = reply_text(status, body.dump());
  }

  // Heads and bodies, of those that begin so.
  std::vector<std::string> requests(const std::string& method) const {
    std::vector<std::string> found;
    for (const std::string& request : scripted_.requests()) {
      if (request.starts_with(method + " ")) found.push_back(request);
    }
    return found;
  }

  const ScriptedServer& scripted() const { return scripted_; }

 private:
  void serve(ScriptedServer& self, tests::Connection& connection) {
    while (const auto request = self.take(connection)) {
      if (request->find("watch=true") != request->npos) {
        connection.write(chunked_head);
        return ScriptedServer::be_silent(connection);
      }
      const std::lock_guard lock(mutex_);
      const bool refuses = !refused_.empty() && request->find(refused_) != request->npos;
      const json no = {{"kind", "Status"}, {"reason", "Forbidden"}, {"message", "may not list"}};
      if (refuses) {
        connection.write(reply_text(403, no.dump()));
      } else {
        connection.write(request->starts_with("GET ") ? list(*request) : answer_);
      }
    }
  }

  std::string list(const std::string& request) const {
    const std::string path = request.substr(4, request.find_first_of("? ", 4) - 4);
    const auto found = objects.find(path.substr(path.rfind('/') + 1));
    const json all = {{"metadata", {{"resourceVersion", version_}}},
                      {"items", found == objects.end() ? json::array() : json(found->second)}};
    return reply_text(200, all.dump());
  }

  std::mutex mutex_;  // of what follows
  std::string version_ = "9";
  std::string refused_;
  std::string answer_ = reply_text(201, R"({"metadata": {"resourceVersion": "10"}})");
  ScriptedServer scripted_{[this](auto& self, auto& connection, int) { serve(self, connection); }};
};

class KubeClusterTest : public testing::Test {
 protected:
  KubeCluster& cluster() {
    if (!us_) {
      us_.emplace(server_.scripted());
      cluster_.emplace(
          us_->credentials, any_clock,
          KubeSettings{.namespaces = namespaces_,
                       .pods = pods_run,
                       .on_watch_failure = [this](const WatchFailure& failure) { note_failure(failure); },
                       .on_warning = [this](const std::string& warning) { warnings_.push_back(warning); }});
    }
    return *cluster_;
  }

  std::vector<std::string> shown() {
    std::vector<std::string> names;
    for (const auto& process : cluster().observe("team/line", Reading::cached).observed.processes) {
      names.push_back(process.name);
    }
    return names;
  }

  // The events that the cluster has written, once there are so many.
  std::vector<std::string> events(std::size_t count) {
    for (int tries = 0; tries < 200 && server_.requests("POST").size() < count; ++tries)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    EXPECT_EQ(server_.requests("POST").size(), count);
    return server_.requests("POST");
  }

  std::vector<std::string> failures() {
    const std::lock_guard lock(mutex_);
    return failures_;
  }

  JobSpec spec_ = some_job();
  Server server_;
  std::vector<std::string> namespaces_;
  std::vector<std::string> warnings_;

 private:
  void note_failure(const WatchFailure& failure) {
    const std::lock_guard lock(mutex_);
    failures_.push_back(failure.reason + (failure.name_space.empty() ? "" : " in " + failure.name_space));
  }

  std::mutex mutex_;
  std::vector<std::string> failures_;
  std::optional<Connected> us_;
  std::optional<KubeCluster> cluster_;
};

TEST_F(KubeClusterTest, ListsJobsFirstAndEverythingInPagesThatAReplyCanHold) {
  cluster();
  std::vector<std::string> targets;
  for (const std::string& request : server_.requests("GET")) {
    if (request.find("watch=true") == request.npos) targets.push_back(request.substr(4, request.find(' ', 4) - 4));
  }
  const std::string ours = "?limit=40&labelSelector=carrack.dev%2Fjob";
  EXPECT_THAT(targets, ElementsAre("/apis/carrack.dev/v1alpha1/trainingjobs?limit=40", "/api/v1/pods" + ours,
                                   "/api/v1/services" + ours, "/api/v1/configmaps" + ours));
}

TEST_F(KubeClusterTest, TakesForTheJobsWhatNamesItAsItsControllerAndHasItsName) {
  const json ours = pod_object(spec_, worker(0), {0, 1});
  json copied = ours;
  copied["metadata"]["name"] = "line-pvhrt-worker-0-0-1-copy";
  json labelled = pod_object(spec_, worker(1), {0, 1});
  labelled["metadata"].erase("ownerReferences");
  json lent = pod_object(spec_, ps(0), {0, 1});
  lent["metadata"]["ownerReferences"][0]["controller"] = false;
  json of_another_kind = pod_object(spec_, coordinator, {0, 1});
  of_another_kind["metadata"]["ownerReferences"][0]["kind"] = "Job";
  JobSpec earlier = spec_;
  earlier.uid = "another";
  server_.objects["pods"] = {ours, copied, labelled, lent, of_another_kind, pod_object(earlier, worker(0), {0, 1})};
  EXPECT_THAT(shown(), ElementsAre("line-pvhrt-worker-0-0-1"));
}

TEST_F(KubeClusterTest, UnderstandsEveryReplyToAChange) {
  const auto answer_to = [&](const Action& action, int status, const std::string& reason) {
    server_.answer(status, {{"kind", "Status"}, {"reason", reason}, {"message", "m"}});
    return cluster().apply("team/line", spec_, action).result;
  };
  const CreateService create{service_name(spec_)};
  EXPECT_EQ(cluster().apply("team/line", spec_, create).version, 10U);
  EXPECT_EQ(answer_to(create, 409, "AlreadyExists"), WriteResult::already);
  EXPECT_EQ(answer_to(create, 403, "Forbidden"), WriteResult::refused);
  EXPECT_EQ(answer_to(create, 422, "Invalid"), WriteResult::refused);
  EXPECT_EQ(answer_to(create, 409, "Conflict"), WriteResult::refused);
  EXPECT_EQ(answer_to(create, 429, "TooManyRequests"), WriteResult::not_now);
  EXPECT_EQ(answer_to(create, 500, "InternalError"), WriteResult::unanswered);
  EXPECT_EQ(answer_to(DeleteProcess{"pod", seconds(1)}, 404, "NotFound"), WriteResult::already);
  EXPECT_EQ(answer_to(WithdrawProcess{"pod"}, 404, "NotFound"), WriteResult::already);
  EXPECT_EQ(answer_to(WithdrawProcess{"pod"}, 422, "Invalid"), WriteResult::already);
  server_.answer(409, {{"kind", "Status"}, {"reason", "Conflict"}, {"message", "m"}});
  EXPECT_EQ(cluster().put_status("team/line", 5, {}).result, WriteResult::conflict);
  server_.answer(422, {{"kind", "Status"}, {"reason", "Invalid"}, {"message", "m"}});
  EXPECT_EQ(cluster().put_status("team/line", 5, {}).result, WriteResult::refused);
}

TEST_F(KubeClusterTest, SaysWhyAChangeWasRefusedWithoutTheNameOfTheChild) {
  const CreateProcess create{process_of(spec_, worker(0), {0, 1})};
  const auto answer_to = [&](int status, const std::string& message) {
    server_.answer(status, {{"kind", "Status"}, {"reason", "Any"}, {"message", message}});
    return cluster().apply("team/line", spec_, create);
  };
  const Reply over =
      answer_to(403, R"(pods "line-pvhrt-worker-0-0-1" is forbidden: exceeded quota: q, requested: pods=1)");
  EXPECT_EQ(over.result, WriteResult::refused);
  EXPECT_EQ(over.error, "exceeded quota: q, requested: pods=1");
  EXPECT_TRUE(over.over_quota);
  EXPECT_TRUE(answer_to(409, R"(Operation cannot be fulfilled on resourcequotas "q": the object has been modified)")
                  .over_quota);
  EXPECT_TRUE(answer_to(403, "status unknown for quota: q, resources: pods").over_quota);
  EXPECT_FALSE(answer_to(403, "failed quota: q: must specify limits.cpu").over_quota);
  const Reply invalid = answer_to(422, R"(Pod "line-pvhrt-worker-0-0-1" is invalid: spec.containers[0].resources: no)");
  EXPECT_EQ(invalid.result, WriteResult::refused);
  EXPECT_EQ(invalid.error, "spec.containers[0].resources: no");
  EXPECT_FALSE(invalid.over_quota);
  const std::string down =
      R"(Internal error occurred: failed calling webhook "p.io": Post "https://p": connection refused)";
  const Reply not_sent = answer_to(500, down);
  EXPECT_EQ(not_sent.result, WriteResult::not_now);
  EXPECT_EQ(not_sent.error, down);
  EXPECT_FALSE(not_sent.over_quota);
  EXPECT_EQ(answer_to(500, "etcdserver: request timed out").result, WriteResult::unanswered);
  EXPECT_EQ(answer_to(503, "shutting down").result, WriteResult::unanswered);
}

TEST_F(KubeClusterTest, ShowsAJobOfANewerReleaseWithWhatIsUnknownInItsSpec) {
  server_.objects["trainingjobs"][0]["spec"]["gpus"] = 8;
  const Snapshot known = cluster().observe("team/line", Reading::cached);
  ASSERT_TRUE(known.job);
  EXPECT_THAT(known.job->unknown_in_spec, IsEmpty());
  json gossip = job_object(spec_);
  gossip["spec"]["strategy"] = "Gossip";
  server_.change_jobs({gossip});
  const Snapshot unknown = cluster().observe("team/line", Reading::quorum);
  ASSERT_TRUE(unknown.job);
  EXPECT_EQ(unknown.job->unknown_in_spec, "spec.strategy: 'Gossip' is unknown; there are Single, ParameterServer");
}

TEST_F(KubeClusterTest, WritesAStatusWithTheConditionsOfANewerRelease) {
  const json stalled = {{"type", "Stalled"}, {"status", "Unknown"}};
  server_.objects["trainingjobs"][0]["status"] = {{"conditions", {stalled}}};
  JobStatus status;
  set_condition(status, {ConditionType::created, true, "JobCreated", "", {}});
  EXPECT_EQ(cluster().put_status("team/line", 5, status).result, WriteResult::done);
  const std::vector<std::string> sent = server_.requests("PATCH");
  ASSERT_EQ(sent.size(), 1U);
  EXPECT_THAT(sent[0], HasSubstr("/namespaces/team/trainingjobs/line/status"));
  EXPECT_THAT(sent[0], AllOf(HasSubstr(R"("type":"Created")"), HasSubstr(stalled.dump()),
                             HasSubstr(R"("resourceVersion":"5")")));
}

TEST_F(KubeClusterTest, WritesNoStatusAgainstAVersionThatItDoesNotHaveAnyMore) {
  EXPECT_EQ(cluster().put_status("team/line", 4, {}).result, WriteResult::conflict);
  EXPECT_EQ(cluster().put_status("team/none", 5, {}).result, WriteResult::conflict);
  EXPECT_THAT(server_.requests("PATCH"), IsEmpty());
}

TEST_F(KubeClusterTest, LeavesAJobAloneWhoseStatusItCannotReadAndSaysSoOnce) {
  server_.objects["trainingjobs"][0]["status"]["attempt"] = "many";
  for (const Reading reading : {Reading::cached, Reading::quorum, Reading::cached}) {
    EXPECT_THROW(cluster().observe("team/line", reading), Error);
  }
  EXPECT_THAT(events(1), ElementsAre(AllOf(HasSubstr("/namespaces/team/events"), HasSubstr("Unreadable"),
                                           HasSubstr("status.attempt"))));
  EXPECT_THAT(server_.requests("PATCH"), IsEmpty());
}

TEST_F(KubeClusterTest, SaysAgainThatItCannotReadAStatusOnceItCouldOrTheJobWasDeleted) {
  const json readable = job_object(spec_);
  json unreadable = readable;
  unreadable["status"]["attempt"] = "many";
  server_.objects["trainingjobs"] = {unreadable};
  EXPECT_THROW(cluster().observe("team/line", Reading::quorum), Error);
  server_.change_jobs({readable});
  EXPECT_TRUE(cluster().observe("team/line", Reading::quorum).job);
  server_.change_jobs({unreadable});
  EXPECT_THROW(cluster().observe("team/line", Reading::quorum), Error);
  server_.change_jobs({});
  EXPECT_FALSE(cluster().observe("team/line", Reading::quorum).job);
  server_.change_jobs({unreadable});
  EXPECT_THROW(cluster().observe("team/line", Reading::quorum), Error);
  EXPECT_THAT(events(3), Each(HasSubstr("Unreadable")));
}

TEST_F(KubeClusterTest, LooksAfterTheNamespacesThatItIsGivenAndNoOther) {
  namespaces_ = {"a", "team"};
  EXPECT_TRUE(cluster().observe("team/line", Reading::quorum).job);
  EXPECT_FALSE(cluster().observe("b/line", Reading::quorum).job);
  for (const std::string& request : server_.requests("GET")) {
    EXPECT_TRUE(request.find("/namespaces/a/") != request.npos || request.find("/namespaces/team/") != request.npos)
        << request;
  }
}

TEST_F(KubeClusterTest, ServesTheOtherNamespacesWhereOneCannotBeListedAndListsItLater) {
  namespaces_ = {"a", "team"};
  server_.refuse("a");
  EXPECT_TRUE(cluster().observe("team/line", Reading::cached).job);
  EXPECT_THAT(failures(), ElementsAre("Error in a"));
  EXPECT_THROW(cluster().observe("a/line", Reading::cached), Error);
  const std::string line =
      "the objects in namespace a cannot be listed: GET /apis/carrack.dev/v1alpha1/namespaces/a/trainingjobs: may not "
      "list";
  EXPECT_THAT(cluster().blind_spots(std::chrono::hours(1)), ElementsAre(line));
  EXPECT_THAT(cluster().jobs_by_state(), ElementsAre(testing::Pair("", 1U)));
  server_.refuse("none");
  for (int tries = 0; tries < 1'000 && !cluster().blind_spots(std::chrono::hours(1)).empty(); ++tries)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_THAT(cluster().blind_spots(std::chrono::hours(1)), IsEmpty());
  EXPECT_FALSE(cluster().observe("a/none", Reading::cached).job);
}

TEST_F(KubeClusterTest, ThrowsWhereNoNamespaceCanBeListed) {
  namespaces_ = {"team"};
  server_.refuse("team");
  EXPECT_THROW(cluster(), Error);
}

TEST_F(KubeClusterTest, NamesEachWatchThatIsSilentForTooLong) {
  namespaces_ = {"team"};
  cluster();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_THAT(cluster().blind_spots(std::chrono::milliseconds(10)),
              ElementsAre("the watch of trainingjobs in namespace team has been silent for 0 s",
                          "the watch of pods in namespace team has been silent for 0 s",
                          "the watch of services in namespace team has been silent for 0 s",
                          "the watch of configmaps in namespace team has been silent for 0 s"));
  EXPECT_THAT(cluster().blind_spots(std::chrono::hours(1)), IsEmpty());
  EXPECT_EQ(cluster().watch_silences().size(), 4U);
}

TEST_F(KubeClusterTest, SaysOnceThatTheDefinitionOfTheServerLacksAField) {
  JobStatus status;
  status.trainer_image = "trainer:1";
  json stored = json::parse(to_json(status_node(status)));
  const auto keep = [&] {
    server_.answer(200, {{"metadata", {{"resourceVersion", "10"}}}, {"status", stored}});
    EXPECT_EQ(cluster().put_status("team/line", 5, status).result, WriteResult::done);
  };
  keep();
  EXPECT_THAT(warnings_, IsEmpty());
  stored.erase("trainerImage");
  keep();
  keep();
  EXPECT_THAT(warnings_, ElementsAre("team/line: the API server does not keep status.trainerImage: its definition of "
                                     "TrainingJob is older than the operator; apply the one of this release"));
  EXPECT_THAT(events(1), ElementsAre(AllOf(HasSubstr("DefinitionOutdated"), HasSubstr("status.trainerImage"))));
}

TEST_F(KubeClusterTest, TellsOfAnOlderStateThatAQuorumReadShows) {
  cluster();
  EXPECT_THAT(failures(), IsEmpty());
  server_.be_at("8");
  cluster().observe("team/line", Reading::quorum);
  EXPECT_THAT(failures(), ElementsAre("Restored", "Restored", "Restored", "Restored"));
}

TEST(NamespaceViewTest, ReadsProgressFromTheNewestRunningStartOfTheLeaderInServiceOrNot) {
  const JobSpec spec = some_job();
  Server server;
  json withdrawn = pod_object(spec, coordinator, {0, 3});
  withdrawn["metadata"]["labels"].erase("carrack.dev/serves");
  json ended = pod_object(spec, coordinator, {0, 4});
  ended["status"]["phase"] = "Failed";
  json misnamed = pod_object(spec, coordinator, {0, 9});
  misnamed["metadata"]["name"] = "line-pvhrt-coordinator-0-0-1";
  JobSpec earlier = spec;
  earlier.uid = "another";
  server.objects["pods"] = {
      pod_object(spec, coordinator, {0, 2}),   withdrawn, ended, misnamed, pod_object(spec, worker(0), {0, 9}),
      pod_object(earlier, coordinator, {0, 8})};
  Connected us(server.scripted());
  NamespaceView view(us.credentials, "", 1,
                     {[](const NamespaceView&, const std::string&) {}, [](const WatchFailure&) {}});
  ASSERT_TRUE(view.list());
  EXPECT_EQ(view.progress_source_of("team/line"), (ProgressSource{spec.uid, {0, 3}, "10.0.0.3:7401"}));
  EXPECT_EQ(view.progress_source_of("team/none"), std::nullopt);
}

}  // namespace
}  // namespace carrack::control
