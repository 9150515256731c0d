// What a cluster makes of an API server's objects that no real one gives at will: pods that only look like ours, jobs
// of another release, a server that was given an older state, and one that hides a namespace.
#include "tests/operator/kube/served_cluster.h"

namespace carrack::control {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

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
  EXPECT_EQ(unknown.job->unknown_in_spec, "spec.strategy: 'Gossip' is unknown; there are Single, ParameterServer, Own");
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
  EXPECT_THAT(events(1), ElementsAre(HasSubstr("Unreadable")));
  EXPECT_THAT(requests("PATCH", 2), ElementsAre(HasSubstr(R"("count":2)"), HasSubstr(R"("count":3)")));
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
