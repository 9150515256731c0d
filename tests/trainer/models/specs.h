// The two models over records named as the tests name them.
#pragma once

#include "trainer/models/model.h"

namespace carrack::train {

inline ModelGraph linear_regression(std::int64_t features) {
  return model_graph(LinearRegression{"x", "y"},
                     {{}, {{"x", FeatureType::float32, features}, {"y", FeatureType::float32, 1}}});
}

inline ModelGraph tally(std::int64_t records) {
  return model_graph(Tally{"index", records}, {{}, {{"index", FeatureType::int64, 1}}});
}

}  // namespace carrack::train
