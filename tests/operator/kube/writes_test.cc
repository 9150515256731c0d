// What a cluster writes, and what it makes of every reply that no real server gives at will: refusals of every kind,
// names that are taken, and fields that are dropped.
#include <set>

#include "tests/operator/kube/served_cluster.h"

namespace carrack::control {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST_F(KubeClusterTest, UnderstandsEveryReplyToAChange) {
  const auto answer_to = [&](const Action& action, int status, const std::string& reason) {
    server_.answer(status, {{"kind", "Status"}, {"reason", reason}, {"message", "m"}});
    return cluster().apply("team/line", spec_, action).result;
  };
  const CreateService create{service_name(spec_)};
  EXPECT_EQ(cluster().apply("team/line", spec_, create).version, 10U);
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

TEST_F(KubeClusterTest, WritesAStatusWithTheConditionsOfANewerRelease) {
  const json stalled = {{"type", "Paused"}, {"status", "Unknown"}};
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

TEST_F(KubeClusterTest, TakesANameThatExistsForDoneOnlyIfTheJobOwnsTheObject) {
  server_.answer(409, {{"kind", "Status"}, {"reason", "AlreadyExists"}, {"message", "m"}});
  const CreateService create{service_name(spec_)};
  const auto answer_with = [&](const std::vector<json>& services) {
    server_.change("services", services);
    return cluster().apply("team/line", spec_, create);
  };
  json service = object_of(service_manifest(spec_), "7");
  EXPECT_EQ(answer_with({service}).result, WriteResult::already);
  EXPECT_THAT(server_.requests("GET"),
              Contains(HasSubstr("/namespaces/team/services?fieldSelector=metadata.name%3D" + service_name(spec_))));
  json& owner = service["metadata"]["ownerReferences"][0];
  owner["uid"] = "another";
  owner["name"] = "curve";
  const Reply taken = answer_with({service});
  EXPECT_EQ(taken.result, WriteResult::refused);
  EXPECT_EQ(taken.error, "the name is taken by an object that belongs to TrainingJob curve; delete that object");
  service["metadata"].erase("ownerReferences");
  EXPECT_EQ(answer_with({service}).error, "the name is taken by an object that has no controller; delete that object");
  EXPECT_EQ(answer_with({}).result, WriteResult::not_now);
}

// Whose it is the operator may not see.
TEST_F(KubeClusterTest, TakesAKeyThatExistsForDoneAndReadsNone) {
  const CreateKey create{key_name(spec_)};
  EXPECT_EQ(cluster().apply("team/line", spec_, create).result, WriteResult::done);
  server_.answer(409, {{"kind", "Status"}, {"reason", "AlreadyExists"}, {"message", "m"}});
  EXPECT_EQ(cluster().apply("team/line", spec_, create).result, WriteResult::already);
  server_.answer(404, {{"kind", "Status"}, {"reason", "NotFound"}, {"message", "no such namespace"}});
  EXPECT_EQ(cluster().apply("team/line", spec_, create).error, "no such namespace");
  for (const char* method : {"GET", "PATCH", "PUT", "DELETE"}) {
    EXPECT_THAT(server_.requests(method), testing::Not(Contains(HasSubstr("secrets")))) << method;
  }
}

TEST_F(KubeClusterTest, CreatesANetworkPolicyBeforeTheKeyIfJobsHaveOne) {
  const CreateKey create{key_name(spec_)};
  pods_.operator_namespace = "carrack";
  EXPECT_EQ(cluster().apply("team/line", spec_, create).result, WriteResult::done);
  EXPECT_THAT(requests("POST", 2), ElementsAre(HasSubstr("/networkpolicies"), HasSubstr("/secrets")));
  server_.answer(403, {{"kind", "Status"}, {"reason", "Forbidden"}, {"message", "no right to create networkpolicies"}});
  const Reply refused = cluster().apply("team/line", spec_, create);
  EXPECT_EQ(refused.result, WriteResult::refused);
  EXPECT_EQ(refused.error, "no right to create networkpolicies");
  EXPECT_THAT(requests("POST", 3).back(), HasSubstr("/networkpolicies")) << "and no key";
}

TEST_F(KubeClusterTest, TakesANetworkPolicyThatExistsForDoneOnlyIfTheJobOwnsIt) {
  pods_.operator_namespace = "carrack";
  server_.answer(409, {{"kind", "Status"}, {"reason", "AlreadyExists"}, {"message", "m"}});
  const auto answer_with = [&](const std::vector<json>& policies) {
    server_.change("networkpolicies", policies);
    return cluster().apply("team/line", spec_, CreateKey{key_name(spec_)});
  };
  json policy = object_of(network_policy_manifest(spec_, "carrack"), "7");
  EXPECT_EQ(answer_with({policy}).result, WriteResult::already);
  EXPECT_THAT(requests("POST", 2), ElementsAre(HasSubstr("/networkpolicies"), HasSubstr("/secrets")));
  EXPECT_THAT(
      server_.requests("GET"),
      Contains(HasSubstr("/namespaces/team/networkpolicies?fieldSelector=metadata.name%3D" + service_name(spec_))));
  policy["metadata"]["ownerReferences"][0]["uid"] = "another";
  policy["metadata"]["ownerReferences"][0]["name"] = "curve";
  const Reply taken = answer_with({policy});
  EXPECT_EQ(taken.result, WriteResult::refused);
  EXPECT_EQ(taken.error, "NetworkPolicy " + service_name(spec_) +
                             ": the name is taken by an object that belongs to TrainingJob curve; delete that object");
  policy["metadata"].erase("ownerReferences");
  EXPECT_THAT(answer_with({policy}).error, testing::EndsWith("has no controller; delete that object"));
  EXPECT_EQ(answer_with({}).result, WriteResult::not_now);
  EXPECT_THAT(requests("POST", 5).back(), HasSubstr("/networkpolicies")) << "and no other key";
}

TEST_F(KubeClusterTest, DrawsAnotherKeyForEachRequest) {
  std::set<std::string> keys;
  for (int i = 0; i < 3; ++i) cluster().apply("team/line", spec_, CreateKey{key_name(spec_)});
  for (const std::string& request : server_.requests("POST")) {
    keys.insert(json::parse(request.substr(request.find("\r\n\r\n")))["stringData"]["key"]);
  }
  EXPECT_EQ(keys.size(), 3U);
  for (const std::string& key : keys) {
    EXPECT_EQ(key.size(), 64U);
    EXPECT_EQ(key.find_first_not_of("0123456789abcdef"), key.npos);
  }
}

TEST_F(KubeClusterTest, TakesForTheJobsServiceAndConfigMapWhatItOwns) {
  const auto shown = [&](json service, json config) {
    server_.change("services", {std::move(service)});
    server_.change("configmaps", {std::move(config)});
    const Observed observed = cluster().observe("team/line", Reading::quorum).observed;
    return std::pair(observed.has_service, observed.has_config);
  };
  const json service = object_of(service_manifest(spec_), "7"), config = object_of(config_manifest(spec_), "7");
  EXPECT_EQ(shown(service, config), std::pair(true, true));
  json of_another = service, of_nobody = config;
  of_another["metadata"]["ownerReferences"][0]["uid"] = "another";
  of_nobody["metadata"].erase("ownerReferences");
  EXPECT_EQ(shown(of_another, of_nobody), std::pair(false, false));
}

TEST_F(KubeClusterTest, SendsActionsThatDoNotDependOnEachOtherAtOnce) {
  std::vector<Action> creates;
  for (int index = 0; index < 8; ++index) creates.emplace_back(CreateProcess{process_of(spec_, worker(index), {0, 1})});
  cluster();
  server_.changes_take = std::chrono::milliseconds(300);
  const auto begin = std::chrono::steady_clock::now();
  const std::vector<Reply> replies = cluster().apply_all("team/line", spec_, creates);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(1'500)) << "of 2.4 s one by one";
  ASSERT_EQ(replies.size(), 8U);
  for (const Reply& reply : replies) EXPECT_EQ(reply.result, WriteResult::done) << reply.error;
  for (int index = 0; index < 8; ++index) {
    EXPECT_THAT(server_.requests("POST"), Contains(HasSubstr("line-pvhrt-worker-" + std::to_string(index) + "-0-1")));
  }
}

TEST_F(KubeClusterTest, CountsAnEventThatRepeatsInOneObject) {
  Connected us(server_.scripted());
  EventWriter writer(us.credentials, any_clock);
  const JobEvent crash{true, "MemberRestarts", "worker 0: ended by signal 9"},
      other{true, "MemberRestarts", "ps 0: left"};
  for (const JobEvent& event : {crash, crash, other, crash}) writer.write("team/line", "1b4e28ba", {event});
  writer.write("team/line", "of another job", {crash});
  EXPECT_EQ(requests("POST", 3).size(), 3U);
  const std::vector<std::string> counted = requests("PATCH", 2);
  ASSERT_EQ(counted.size(), 2U);
  EXPECT_THAT(counted[0], AllOf(HasSubstr("/namespaces/team/events/line."), HasSubstr(R"("count":2)")));
  EXPECT_THAT(counted[1], HasSubstr(R"("count":3)"));
  server_.answer(404, {{"kind", "Status"}, {"reason", "NotFound"}, {"message", "m"}});
  writer.write("team/line", "1b4e28ba", {crash});
  EXPECT_EQ(requests("POST", 4).size(), 4U);
}

TEST_F(KubeClusterTest, ChecksAProcessForWhatIsWrongWithItAlone) {
  const CheckProcess check{process_of(spec_, worker(0), {0, 1})};
  const auto answer_to = [&](int status, const std::string& message) {
    server_.answer(status, {{"kind", "Status"}, {"reason", "Any"}, {"message", message}});
    return cluster().apply("team/line", spec_, check);
  };
  EXPECT_EQ(cluster().apply("team/line", spec_, check).result, WriteResult::already);
  EXPECT_THAT(server_.requests("POST"), ElementsAre(HasSubstr("/pods?dryRun=All&fieldValidation=Strict HTTP")));
  const std::pair<int, std::string> about_the_pod[] = {
      {422, R"(Pod "line-pvhrt-worker-0-0-1" is invalid: spec.containers[1].image: Required value)"},
      {400, R"(Pod in version "v1" cannot be handled as a Pod: strict decoding error: unknown field "spec.x")"},
      {400, R"(Pod in version "v1" cannot be handled as a Pod: json: cannot unmarshal number)"}};
  std::vector<std::string> words;
  for (const auto& [status, message] : about_the_pod) {
    const Reply reply = answer_to(status, message);
    EXPECT_EQ(reply.result, WriteResult::refused);
    EXPECT_TRUE(reply.is_invalid);
    words.push_back(reply.error);
  }
  EXPECT_THAT(words, ElementsAre("spec.containers[1].image: Required value", R"(unknown field "spec.x")",
                                 "json: cannot unmarshal number"));
  const std::pair<int, std::string> about_others[] = {
      {403, R"(pods "a" is forbidden: exceeded quota: q)"},
      {403, R"(pods "a" is forbidden: error looking up service account team/x: serviceaccount "x" not found)"},
      {400, R"(admission webhook "p.io" does not support dry run)"},
      {422, R"(admission webhook "p.io" denied the request: no)"},
      {422, R"(pods "a" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'b' denied request: no)"},
      {429, "too many requests"},
      {500, "etcdserver: request timed out"}};
  for (const auto& [status, message] : about_others) {
    EXPECT_EQ(answer_to(status, message).result, WriteResult::already) << message;
  }
}

}  // namespace
}  // namespace carrack::control
