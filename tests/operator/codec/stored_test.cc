// Jobs that an API server has stored, perhaps for a newer release.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "operator/codec/job.h"
#include "tests/operator/core/scene.h"

namespace carrack::control {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const std::string manifest = R"({"apiVersion":"carrack.dev/v1alpha1","kind":"TrainingJob","metadata":{"name":"line"},
"spec":{"strategy":"ParameterServer","replicas":{"worker":{"count":2}},
"model":{"layers":[{"kind":"Dense","units":1,"inputs":["x"]}],"loss":{"kind":"MSE","target":"y"}},
"data":{"train":{"files":["data/*"],"stages":[{"skip":3}]},
"features":{"x":{"type":"float32"},"y":{"type":"float32"}}},
"training":{"batch":32,"optimizer":{"kind":"SGD"}}},
"status":{"attempt":1,"members":{"worker-1":{"incarnation":3,"ended":false}},
"conditions":[{"type":"Created","status":"True","reason":"JobCreated","message":"",
"lastTransitionTime":"2026-01-01T00:00:00Z"}]}})";

std::string with(const std::string& part, const std::string& other) {
  std::string text = manifest;
  const std::size_t at = text.find(part);
  if (at == text.npos) throw std::logic_error(part);
  return text.replace(at, part.size(), other);
}

std::string problems_of(const std::string& text) {
  return describe(decode_stored_job(text).problems);
}

TEST(StoredJob, IsReadAsOneThatAUserHasWritten) {
  const DecodedJob stored = decode_stored_job(manifest), written = decode_job(manifest);
  EXPECT_THAT(written.problems, IsEmpty());
  EXPECT_THAT(stored.problems, IsEmpty());
  EXPECT_EQ(stored.spec, written.spec);
  EXPECT_EQ(stored.status, written.status);
  EXPECT_THAT(stored.newer_conditions, IsEmpty());
}

TEST(StoredJob, MayHaveFieldsThatThisReleaseDoesNotKnow) {
  const std::pair<std::string, std::string> changes[] = {
      {R"("strategy":)", R"("gpus":8,"strategy":)"},
      {R"("batch":32)", R"("batch":32,"precision":"bf16")"},
      {R"({"kind":"Dense")", R"({"rank":4,"kind":"Dense")"},
      {R"({"skip":3})", R"({"skip":3,"hint":1})"},
      {R"("worker":{)", R"("evaluator":{"count":1},"worker":{)"},
      {R"("attempt":1)", R"("attempt":1,"lease":"a")"},
      {R"("incarnation":3)", R"("incarnation":3,"node":"a")"},
      {R"("worker-1":)", R"("evaluator-0":{"incarnation":1},"worker-1":)"},
      {R"("reason":)", R"("severity":4,"reason":)"},
      {R"([{"type":"Created")", R"([{"type":"Paused","status":"Unknown"},{"type":"Created")"}};
  for (const auto& [part, other] : changes) {
    const DecodedJob job = decode_stored_job(with(part, other));
    EXPECT_THAT(job.problems, IsEmpty()) << other;
    EXPECT_EQ(job.spec, decode_job(manifest).spec) << other;
    EXPECT_EQ(job.status, decode_job(manifest).status) << other;
    EXPECT_FALSE(decode_job(with(part, other)).problems.empty()) << other;
  }
}

TEST(StoredJob, HasAProblemWhereAnUnknownWordDecidesWhatIsTrained) {
  EXPECT_EQ(problems_of(with(R"("ParameterServer")", R"("Gossip")")),
            "spec.strategy: 'Gossip' is unknown; there are Single, ParameterServer, Own");
  EXPECT_EQ(problems_of(with(R"({"skip":3})", R"({"window":3})")).find("spec.data.train.stages[0]: is not a stage; "),
            0U);
  EXPECT_EQ(
      problems_of(with(R"("kind":"Dense")", R"("kind":"Mixture")")).find("spec.model.layers[0].kind: 'Mixture' is"),
      0U);
  EXPECT_EQ(problems_of(with(R"("kind":"SGD")", R"("kind":"Lion")")).find("spec.training.optimizer.kind: 'Lion' is"),
            0U);
}

TEST(StoredJob, HasAProblemWhereAValueIsOfAnotherType) {
  EXPECT_EQ(problems_of(with(R"("attempt":1)", R"("attempt":"one")")),
            "status.attempt: is text; must be a whole number");
  EXPECT_EQ(problems_of(with(R"("status":"True")", R"("status":"Unknown")")),
            "status.conditions[0].status: 'Unknown' is unknown; there are False, True");
}

TEST(StoredJob, KeepsConditionsThatThisReleaseWouldWriteInAnotherWay) {
  const auto newer_in = [](const std::string& conditions) {
    std::vector<std::string> texts;
    for (const Node& node :
         decode_stored_job(with(R"("conditions":[)", R"("conditions":[)" + conditions)).newer_conditions)
      texts.push_back(to_json(node));
    return texts;
  };
  const std::string stalled = R"({"status":"Unknown","type":"Paused"})";
  EXPECT_THAT(newer_in(stalled + ","), ElementsAre(stalled));
  const std::string running =
      R"({"lastTransitionTime":"2026-01-01T00:00:00Z","reason":"R","severity":4,"status":"True","type":"Running"})";
  EXPECT_THAT(newer_in(running + ","), ElementsAre(running));
}

}  // namespace
}  // namespace carrack::control
