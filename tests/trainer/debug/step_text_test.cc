#include "trainer/debug/step_text.h"

#include <gtest/gtest.h>

#include <cmath>

namespace carrack::train {
namespace {

StepReport some_report() {
  return {.records_in_epoch = 9,
          .seed = 3,
          .records = {"record 0 of a", "record 1 of a"},
          .features = {{"x", {2, 1}, {0, 0.5, 1}}},
          .layers = {{{"dense", {2, 2}, {-1, 0, 1}, 1.25e-7},
                      {{{"dense/kernel", {1, 2}, {1, 1, 1}}, 0.123456, 1e-3, 2e-6}, {{"dense/bias", {2}, {0, 0, 0}}}}}},
          .loss = 12345.678,
          .loss_difference = 0};
}

TEST(StepText, IsATableOfFeaturesLayersAndTensors) {
  EXPECT_EQ(text(some_report()),
            "the first 2 of 9 records, and the initial values of seed 3\n"
            "                shape   min  mean  max  NaN  Inf  gradient  update  difference\n"
            "x               [2, 1]    0   0.5    1    0    0\n"
            "dense           [2, 2]   -1     0    1    0    0                       1.2e-07\n"
            "  dense/kernel  [1, 2]    1     1    1    0    0    0.1235   0.001     2.0e-06\n"
            "  dense/bias    [2]       0     0    0    0    0         0       0           0\n"
            "loss 1.235e+04, the mean over the records; difference 0\n");
}

TEST(NotFinite, NamesTheFeatureAndTheLayerWithTheRecord) {
  StepReport report = some_report();
  EXPECT_EQ(not_finite(report), std::vector<std::string>());
  report.features[0].numbers.first_not_finite = 0;
  EXPECT_EQ(not_finite(report),
            std::vector<std::string>{"NaN or infinity appears first in feature `x`: record 0 of a"});
  report.layers[0].output.numbers.first_not_finite = 2;
  report.loss = NAN;
  EXPECT_EQ(not_finite(report),
            (std::vector<std::string>{"NaN or infinity appears first in feature `x`: record 0 of a",
                                      "NaN or infinity appears first in layer `dense`: record 1 of a"}));
}

TEST(NotFinite, NamesLossGradientAndUpdateIfAllLayersAreFinite) {
  StepReport report = some_report();
  const auto line = [&] { return not_finite(report).at(0); };
  report.layers[0].tensors[1].update_norm = INFINITY;
  EXPECT_EQ(line(), "NaN or infinity appears first in the update of `dense/bias`");
  report.layers[0].tensors[0].gradient_norm = NAN;
  EXPECT_EQ(line(), "NaN or infinity appears first in the gradient of `dense/kernel`");
  report.loss = INFINITY;
  EXPECT_EQ(line(), "NaN or infinity appears first in the loss");
}

}  // namespace
}  // namespace carrack::train
