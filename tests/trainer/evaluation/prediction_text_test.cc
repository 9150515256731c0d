#include "trainer/evaluation/prediction_text.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace carrack::train {
namespace {

using Floats = std::vector<float>;

TEST(PredictionText, OfValuesHasTheirShapeAndErrors) {
  const Floats outputs{1, 2.5f, 3, -4}, target{1, 2.5f, 3, -2};
  EXPECT_EQ(text({ModelTask::Kind::values, {2, 2}}, {"a \"b\"", 7, outputs, 0.1f, target}),
            R"({"file": "a \"b\"", "record": 7, "output": [[1, 2.5], [3, -4]], "loss": 0.1, "errors": [0, 2]})");
}

TEST(PredictionText, OfOneValueIsANumber) {
  const Floats outputs{0.25f}, target{0};
  EXPECT_EQ(text({ModelTask::Kind::values, {}}, {"a", 0, outputs, 0.0625f, target}),
            R"({"file": "a", "record": 0, "output": 0.25, "loss": 0.0625})");
  EXPECT_EQ(text({ModelTask::Kind::values, {}}, {"a", 0, outputs}), R"({"file": "a", "record": 0, "output": 0.25})");
}

TEST(PredictionText, OfClassesHasTheGreatestOne) {
  const Floats outputs{0, 0, 1000};
  EXPECT_EQ(text({ModelTask::Kind::classes, {3}}, {"a", 0, outputs}),
            R"({"file": "a", "record": 0, "class": 2, "probabilities": [0, 0, 1]})");
}

TEST(PredictionText, OfClassesHasNoGreatestOneAmongNaN) {
  const Floats outputs{0, std::numeric_limits<float>::quiet_NaN()};
  EXPECT_EQ(text({ModelTask::Kind::classes, {2}}, {"a", 0, outputs}),
            R"({"file": "a", "record": 0, "class": null, "probabilities": ["NaN", "NaN"]})");
}

TEST(PredictionText, OfClassesWithWordsHasTheWord) {
  const Floats outputs{0, 0, 1000}, none{0, std::numeric_limits<float>::quiet_NaN(), 0};
  const ModelTask task{ModelTask::Kind::classes, {3}, {"", "cat", "\"dog\""}};
  EXPECT_EQ(text(task, {"a", 0, outputs}),
            R"({"file": "a", "record": 0, "class": 2, "label": "\"dog\"", "probabilities": [0, 0, 1]})");
  EXPECT_NE(text(task, {"a", 0, none}).find(R"("class": null, "label": null)"), std::string::npos);
}

TEST(PredictionText, OfLabelsHasProbabilities) {
  const Floats outputs{0, -1000};
  EXPECT_EQ(text({ModelTask::Kind::labels, {2}}, {"a", 0, outputs}),
            R"({"file": "a", "record": 0, "probabilities": [0.5, 0]})");
}

TEST(PredictionText, IsJsonAlsoOfWhatIsNotFinite) {
  const float infinity = std::numeric_limits<float>::infinity();
  const Floats outputs{std::numeric_limits<float>::quiet_NaN(), infinity, -infinity};
  EXPECT_EQ(text({ModelTask::Kind::values, {3}}, {"a", 0, outputs}),
            R"({"file": "a", "record": 0, "output": ["NaN", "Infinity", "-Infinity"]})");
}

}  // namespace
}  // namespace carrack::train
