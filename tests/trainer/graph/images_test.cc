// The shapes of operators over images, and what they refuse.
#include "tests/trainer/graph/expect_error.h"
#include "trainer/graph/graph.h"

namespace carrack::train {
namespace {

struct Images : testing::Test {
  Graph graph{"spec.model"};
  ValueId x = graph.input("x", Type::float32, {3});
  ValueId images = graph.input("images", Type::float32, {6, 5, 4});
  ValueId weights = graph.parameter("weights", {3, 2, 4, 8});
  ValueId conv(ValueId of, ValueId by, const Attributes& attributes = {}) {
    return graph.append("Conv", attributes, {of, by}, "y");
  }
  std::string shape(ValueId value) const { return text(graph.value(value).shape); }
};
using Numbers = std::vector<std::int64_t>;

TEST_F(Images, HaveAPixelForEachWindow) {
  EXPECT_EQ(shape(conv(images, weights)), "[rows, 4, 4, 8]");
  EXPECT_EQ(shape(conv(images, weights, {{"strides", Numbers{3, 2}}, {"pads", Numbers{0, 1, 2, 0}}})),
            "[rows, 2, 3, 8]");
  EXPECT_EQ(shape(conv(images, weights, {{"dilations", Numbers{2, 4}}})), "[rows, 2, 1, 8]");
  EXPECT_EQ(shape(conv(images, graph.parameter("halves", {1, 1, 2, 6}), {{"group", std::int64_t{2}}})),
            "[rows, 6, 5, 6]");
}

TEST_F(Images, RefuseWhatDoesNotFit) {
  const auto expect = [&](const std::string& error, ValueId of, ValueId by, const Attributes& attributes = {}) {
    expect_error(Blame::user, ("spec.model: Conv of " + error).c_str(), [&] { conv(of, by, attributes); });
  };
  const std::string both = "`images` [rows, 6, 5, 4] and `weights` [3, 2, 4, 8]: ";
  expect("`x` [rows, 3] and `weights` [3, 2, 4, 8]: needs images [rows, height, width, channels]", x, weights);
  expect("`images` [rows, 6, 5, 4] and `x` [rows, 3]: needs weights [height, width, channels of a group, filters]",
         images, x);
  expect(both + "has channels or filters that do not fit 2 groups", images, weights, {{"group", std::int64_t{2}}});
  expect(both + "has channels or filters that do not fit 0 groups", images, weights, {{"group", std::int64_t{0}}});
  expect(both + "needs two strides and two dilations of at least 1", images, weights, {{"strides", Numbers{1}}});
  expect(both + "needs two strides and two dilations of at least 1", images, weights, {{"dilations", Numbers{0, 1}}});
  expect(both + "needs four pads of at least 0", images, weights, {{"pads", Numbers{0, 0, 0, -1}}});
  expect(both + "leaves no pixel: windows reach over 7 x 2 pixels, and images with their padding have 6 x 5", images,
         weights, {{"dilations", Numbers{3, 1}}});
}

TEST_F(Images, ArePooledByWindows) {
  for (const char* op : {"MaxPool", "AveragePool"}) {
    const auto pooled = [&](const Attributes& attributes) {
      return shape(graph.append(op, attributes, {images}, "y"));
    };
    EXPECT_EQ(pooled({{"kernel_shape", Numbers{3, 2}}}), "[rows, 4, 4, 4]");
    EXPECT_EQ(pooled({{"kernel_shape", Numbers{3, 2}}, {"strides", Numbers{3, 2}}}), "[rows, 2, 2, 4]");
    EXPECT_EQ(pooled({{"kernel_shape", Numbers{3, 2}}, {"pads", Numbers{2, 1, 2, 1}}}), "[rows, 8, 6, 4]");
    const auto expect = [&](const std::string& error, ValueId of, const Attributes& attributes) {
      expect_error(Blame::user, ("spec.model: " + std::string(op) + " of " + error).c_str(),
                   [&] { graph.append(op, attributes, {of}, "y"); });
    };
    const std::string all = "`images` [rows, 6, 5, 4]: ";
    expect("`x` [rows, 3]: needs images [rows, height, width, channels]", x, {{"kernel_shape", Numbers{1, 1}}});
    expect(all + "needs windows of two sizes of at least 1", images, {});
    expect(all + "needs windows of two sizes of at least 1", images, {{"kernel_shape", Numbers{2, 0}}});
    expect(all + "needs two strides and two dilations of at least 1", images,
           {{"kernel_shape", Numbers{2, 2}}, {"strides", Numbers{1, 0}}});
    expect(all + "leaves no pixel: windows reach over 6 x 6 pixels, and images with their padding have 6 x 5", images,
           {{"kernel_shape", Numbers{6, 6}}});
    expect(all + "needs pads below the size of windows, 3 x 2", images,
           {{"kernel_shape", Numbers{3, 2}}, {"pads", Numbers{2, 1, 2, 2}}});
  }
}

}  // namespace
}  // namespace carrack::train
