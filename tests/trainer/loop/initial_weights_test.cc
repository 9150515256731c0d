#include "trainer/loop/storage/initial_weights.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "dataloader/crc32c.h"
#include "tests/dataloader/storage/temporary_folder.h"
#include "tests/trainer/loop/job_in_storage.h"
#include "tests/trainer/models/networks.h"
#include "trainer/checkpoint/bundle.h"
#include "trainer/checkpoint/folder.h"
#include "trainer/checkpoint/integers.h"
#include "trainer/error.h"

namespace carrack::train {
namespace {

constexpr std::int64_t rows = 1500, columns = 7;

// `dense/kernel` [1500, 7] and `dense/bias` [7], on two servers, each of which has a part of the kernel.
Config config_of(const std::string& from) {
  Config config = some_launch("job", "").config;
  Layer dense;
  dense.inputs = {"x"};
  config.data.features = {{"x", FeatureType::float32, rows}, {"y", FeatureType::float32, columns}};
  dense.values.front() = columns;
  config.model = Layers{{dense}, {LossKind::mse, "y"}};
  config.training.initial_weights = InitialWeights{.from = from};
  return config;
}

template <class Number>
std::string bytes_of(const std::vector<Number>& numbers) {
  return {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(Number)};
}

// 0, 1, 2, ...
std::vector<float> counting(std::int64_t count, float first = 0) {
  std::vector<float> values(static_cast<std::size_t>(count));
  std::iota(values.begin(), values.end(), first);
  return values;
}

class WeightsOfAnotherModel : public testing::Test {
 protected:
  struct Tensor {
    std::string name, type, shape, bytes;
  };

  std::string file(const std::string& name) const { return temporary.path() + "/" + name; }

  std::string write(const std::string& name, const std::string& bytes) const {
    std::ofstream(file(name), std::ios::binary) << bytes;
    return file(name);
  }

  std::string safetensors(const std::vector<Tensor>& tensors) const {
    std::string header, data;
    for (const Tensor& one : tensors) {
      header += (header.empty() ? "{\"" : ",\"") + one.name + R"(":{"dtype":")" + one.type + R"(","shape":)" +
                one.shape + ",\"data_offsets\":[" + std::to_string(data.size()) + ",";
      data += one.bytes;
      header += std::to_string(data.size()) + "]}";
    }
    header += "}";
    std::string size;
    checkpoint::put_fixed64(size, header.size());
    return write("w.safetensors", size + header + data);
  }

  // In two shards, and the kernel in two parts.
  std::string bundle(checkpoint::DType type, const std::string& of_kernel) const {
    std::vector<checkpoint::ShardReport> reports;
    for (std::uint32_t shard = 0; shard < 2; ++shard) {
      std::string bytes;
      checkpoint::ShardWriter writer([&](std::span<const std::byte> more) {
        bytes.append(reinterpret_cast<const char*>(more.data()), more.size());
      });
      const std::string half = of_kernel.substr(shard * of_kernel.size() / 2, of_kernel.size() / 2);
      writer.add("dense/kernel/.ATTRIBUTES/VARIABLE_VALUE", type, {rows, columns}, {shard * rows / 2, rows / 2},
                 std::as_bytes(std::span(half)));
      if (shard == 1) {
        writer.add("dense/bias", checkpoint::DType::float32, {columns}, {0, columns}, std::as_bytes(std::span(bias)));
      }
      reports.push_back(writer.report());
      write(checkpoint::shard_name("model", shard, 2), bytes);
    }
    write("model.index", checkpoint::encode_index(std::get<checkpoint::Bundle>(checkpoint::merge(reports))));
    return file("model");
  }

  // What all parameter servers begin with, one after the other.
  std::vector<float> begun(const Config& config) const {
    Launch launch = some_launch("job", file("here"));
    const std::string folder = launch.config.checkpoint.folder;
    launch.config = config;
    launch.config.checkpoint.folder = folder;
    const Floats values = loaded(launch, storages, {}).tensors.parameters;
    return {values.begin(), values.end()};
  }

  static std::uint32_t crc32c_of(const std::string& path) {
    std::ifstream stream(path, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(stream), {}};
    return data::crc32c(std::as_bytes(std::span(text)));
  }

  std::string refusal(Config config) const {
    config.checkpoint.folder = file("here");
    try {
      require_initial_weights({"", "", {}, {}, {}, config}, setup_from(config).layout, storages);
      begun(config);
    } catch (const Error& error) {
      EXPECT_EQ(error.blame(), Blame::user);
      return error.what();
    }
    return "none";
  }

  static std::vector<float> joined(std::vector<float> left, const std::vector<float>& right) {
    left.insert(left.end(), right.begin(), right.end());
    return left;
  }

  const data::TemporaryFolder temporary;
  const data::Storages storages{data::StorageSettings{}};
  const std::vector<float> kernel = counting(rows * columns), bias = counting(columns, 100);
  const std::vector<float> all = joined(kernel, bias);
  const std::string kernel_shape = "[1500,7]";
};

TEST_F(WeightsOfAnotherModel, AreReadFromSafetensors) {
  const Config config = config_of(safetensors(
      {{"dense/bias", "F32", "[7]", bytes_of(bias)}, {"dense/kernel", "F32", kernel_shape, bytes_of(kernel)}}));
  ASSERT_EQ(setup_from(config).ranges.size(), 2U);
  EXPECT_EQ(begun(config), all);
}

TEST_F(WeightsOfAnotherModel, AreReadFromABundle) {
  EXPECT_EQ(begun(config_of(bundle(checkpoint::DType::float32, bytes_of(kernel)))), all);
}

TEST_F(WeightsOfAnotherModel, AreThoseOfALinearRegressionToo) {
  Config config = some_launch("job", "").config;
  config.training.initial_weights =
      InitialWeights{.from = safetensors({{"w", "F32", "[5000]", bytes_of(counting(5000))},
                                          {"b", "F32", "[1]", bytes_of(counting(1, -3))}})};
  EXPECT_EQ(begun(config), joined(counting(5000), {-3}));
}

TEST_F(WeightsOfAnotherModel, MayBeTransposedAndHaveOtherNames) {
  std::vector<float> transposed(kernel.size());
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t column = 0; column < columns; ++column) {
      transposed[static_cast<std::size_t>(column * rows + row)] =
          kernel[static_cast<std::size_t>(row * columns + column)];
    }
  }
  Config config = config_of(safetensors(
      {{"fc.weight", "F32", "[7,1500]", bytes_of(transposed)}, {"dense/bias", "F32", "[7]", bytes_of(bias)}}));
  config.training.initial_weights->names = {{"dense/kernel", "fc.weight", true}};
  EXPECT_EQ(begun(config), all);
}

TEST_F(WeightsOfAnotherModel, OfOtherTypesAreConverted) {
  const std::vector<double> doubles(kernel.begin(), kernel.end());
  const Config of_doubles = config_of(safetensors(
      {{"dense/bias", "F16", "[7]", bytes_of(std::vector<std::uint16_t>{0x3c00, 0xc000, 0, 0x3555, 0x7bff, 1, 0x8000})},
       {"dense/kernel", "F64", kernel_shape, bytes_of(doubles)}}));
  EXPECT_EQ(begun(of_doubles), joined(kernel, {1, -2, 0, 0.333251953125, 65504, 0x1p-24F, -0.0F}));
  EXPECT_EQ(begun(config_of(bundle(checkpoint::DType::float64, bytes_of(doubles)))), all);
  const std::vector<std::uint16_t> bfloats(kernel.size(), 0xbfc0);
  const Config of_bfloats = config_of(safetensors(
      {{"dense/kernel", "BF16", kernel_shape, bytes_of(bfloats)}, {"dense/bias", "F32", "[7]", bytes_of(bias)}}));
  EXPECT_EQ(begun(of_bfloats), joined(std::vector<float>(kernel.size(), -1.5F), bias));
}

TEST_F(WeightsOfAnotherModel, AreThoseThatPatternsName) {
  Config config = config_of(safetensors({{"dense/bias", "F32", "[7]", bytes_of(bias)}}));
  Config without = config;
  without.training.initial_weights.reset();
  config.training.initial_weights->tensors = {"*/bias"};
  const std::vector<float> values = begun(config), others = begun(without);
  EXPECT_EQ(std::vector(values.begin(), values.end() - columns), std::vector(others.begin(), others.end() - columns));
  EXPECT_EQ(std::vector(values.end() - columns, values.end()), bias);
}

TEST_F(WeightsOfAnotherModel, ThatDoNotFitAreRefusedTogether) {
  const std::string field = "spec.training.initialWeights: " + file("w.safetensors");
  const std::string advice = "; say in names what it is called there, or list in tensors only what is there";
  EXPECT_EQ(refusal(config_of(safetensors({{"fc", "F32", "[7]", bytes_of(bias)}, {"n", "I8", "[1]", "x"}}))),
            field + R"( has no "dense/kernel" for dense/kernel [1500,7]; it has "fc" [7])" + advice + "\n" + field +
                R"( has no "dense/bias" for dense/bias [7]; it has "fc" [7])" + advice);
  EXPECT_EQ(refusal(config_of(safetensors(
                {{"dense/kernel", "F32", "[7,1500]", bytes_of(kernel)}, {"dense/bias", "F8_E4M3", "[7]", "1234567"}}))),
            field + R"( has "dense/kernel" as float32 [7,1500], and this job has dense/kernel [1500,7])" +
                "; set transposed: true for it in names\n" + field +
                R"( has "dense/bias" as "F8_E4M3" [7]; what can be read is float32, float64, float16 and bfloat16)");
  Config turned = config_of(safetensors(
      {{"dense/kernel", "F32", kernel_shape, bytes_of(kernel)}, {"dense/bias", "I32", "[7]", bytes_of(bias)}}));
  turned.training.initial_weights->names = {{"dense/kernel", "", true}};
  EXPECT_EQ(refusal(turned),
            field + R"( has "dense/kernel" as float32 [1500,7], and this job has dense/kernel [1500,7], which is )" +
                "[7,1500] there if it is transposed\n" + field +
                R"( has "dense/bias" as int32 [7]; what can be read is float32, float64, float16 and bfloat16)");
}

TEST_F(WeightsOfAnotherModel, NameOnlyTheFirstThatDoNotFit) {
  Config config = config_of(safetensors({{"a", "F32", "[1]", "1234"}}));
  Layers network = std::get<Layers>(config.model);
  for (int i = 0; i < 3; ++i) network.layers.push_back(network.layers.front());
  for (std::size_t i = 1; i < 4; ++i) network.layers[i].inputs.clear();
  config.model = network;
  const std::string text = refusal(config);
  EXPECT_EQ(std::ranges::count(text, '\n'), 5);
  EXPECT_TRUE(text.ends_with("\nspec.training.initialWeights: 3 more tensors like that")) << text;
}

TEST_F(WeightsOfAnotherModel, OfAFileThatCannotBeReadAreRefused) {
  const std::string field = "spec.training.initialWeights.from: ";
  const std::string advice =
      "; name a .safetensors file, the checkpoint folder of a job, or what the names of a checkpoint's files begin "
      "with";
  EXPECT_EQ(refusal(config_of(file("none.safetensors"))), field + "there is no " + file("none.safetensors") + advice);
  EXPECT_EQ(refusal(config_of(file("none"))), field + "there is no " + file("none.index") + advice);
  EXPECT_EQ(refusal(config_of(write("a.safetensors", ""))),
            field + file("a.safetensors") + ": has 0 bytes; the size of its header alone takes 8");
  EXPECT_EQ(refusal(config_of(write("a.safetensors", "<html>not a file</html>"))),
            field + file("a.safetensors") +
                ": its header has 8029423821061908540 bytes, and there are 15; it is cut, or "
                "no safetensors file");
  EXPECT_EQ(refusal(config_of(write("a.safetensors", std::string("\2\0\0\0\0\0\0\0[]", 10)))),
            field + file("a.safetensors") + ": the header does not begin with {");
  write("b.index", "not an index");
  EXPECT_EQ(refusal(config_of(file("b"))).substr(0, (field + file("b.index: ")).size()), field + file("b.index: "));
  bundle(checkpoint::DType::float32, bytes_of(kernel));
  std::filesystem::resize_file(file("model.data-00001-of-00002"), 100);
  EXPECT_EQ(refusal(config_of(file("model"))),
            field + file("model.data-00001-of-00002") + ": is missing, or shorter than its index says");
  bundle(checkpoint::DType::float32, bytes_of(kernel));
  std::fstream(file("model.data-00000-of-00002"), std::ios::in | std::ios::out | std::ios::binary).put('?');
  EXPECT_EQ(refusal(config_of(file("model"))).substr(0, 60),
            (field + file("model.data-00000-of-00002: bytes [0, 2")).substr(0, 60));
}

TEST_F(WeightsOfAnotherModel, WithANegativeVarianceAreRefused) {
  Config config =
      config_of(safetensors({{"batchnorm/moving_variance", "F32", "[7]", bytes_of(counting(columns, -1))}}));
  config.training.initial_weights->tensors = {"batchnorm/moving_variance"};
  std::get<Layers>(config.model).layers.push_back(of_kind("BatchNorm"));
  EXPECT_TRUE(
      refusal(config).ends_with(" has \"batchnorm/moving_variance\" with a variance below 0, so "
                                "batchnorm/moving_variance cannot begin with it"));
}

TEST_F(WeightsOfAnotherModel, ThatAreNotFiniteAreRefused) {
  for (const double bad : {std::nan(""), double{INFINITY}, 1e39}) {
    std::vector<double> values(kernel.begin(), kernel.end());
    values.back() = bad;
    EXPECT_EQ(refusal(config_of(safetensors({{"dense/kernel", "F64", kernel_shape, bytes_of(values)},
                                             {"dense/bias", "F32", "[7]", bytes_of(bias)}}))),
              "spec.training.initialWeights: " + file("w.safetensors") +
                  " has \"dense/kernel\" with NaN, infinity or a number beyond float32, so dense/kernel cannot begin "
                  "with it");
  }
}

TEST_F(WeightsOfAnotherModel, MustBeTheOnesThatTheCoordinatorHasChecked) {
  const std::vector<Tensor> tensors{{"dense/kernel", "F32", kernel_shape, bytes_of(kernel)},
                                    {"dense/bias", "F32", "[7]", bytes_of(bias)}};
  for (const bool is_bundle : {false, true}) {
    const auto written = [&] {
      return config_of(is_bundle ? bundle(checkpoint::DType::float32, bytes_of(kernel)) : safetensors(tensors));
    };
    Config config = written();
    config.checkpoint.folder = file("here");
    const train::Setup setup = setup_from(config);
    const std::string version = require_initial_weights({"", "", {}, {}, {}, config}, setup.layout, storages);
    Floats values(static_cast<std::size_t>(setup.layout.size()));
    const Range whole{0, setup.layout.size()};
    read_initial_weights(*config.training.initial_weights, setup.layout, whole, values, storages, version);
    EXPECT_NE(version, "");
    try {
      read_initial_weights(*config.training.initial_weights, setup.layout, whole, values, storages, "another");
      FAIL();
    } catch (const Error& error) {
      EXPECT_EQ(error.blame(), Blame::platform);
      EXPECT_NE(std::string(error.what()).find("is not the file any more that the coordinator has checked"),
                std::string::npos)
          << error.what();
    }
  }
}

// The checkpoints of a job, as `carrack predict` takes them.
class WeightsOfAnotherJob : public WeightsOfAnotherModel {
 protected:
  Config beginning_with(const std::string& from) const {
    Config config = other.config;
    config.training.initial_weights = InitialWeights{.from = from};
    config.checkpoint.folder = file("here");
    return config;
  }

  // What a job begins with that checks `from` now, and reads it after `meanwhile`.
  std::vector<float> begun_with(
      const std::string& from, const std::function<void()>& meanwhile = [] {}) const {
    const Config config = beginning_with(from);
    const train::Setup setup = setup_from(config);
    const std::string version = require_initial_weights({"", "", {}, {}, {}, config}, setup.layout, storages);
    meanwhile();
    Floats values(static_cast<std::size_t>(setup.layout.size()));
    const InitialWeights& initial = *config.training.initial_weights;
    read_initial_weights(initial, setup.layout, {0, setup.layout.size()}, values, storages, version);
    return {values.begin(), values.end()};
  }

  std::vector<float> at(std::uint64_t step) const {
    const Floats values = tensors_at(setup_from(other.config), step).parameters;
    return {values.begin(), values.end()};
  }

  void commit(std::uint64_t step) {
    leave_checkpoint(other, storages, step);
    ++other.fence.incarnation;
  }

  const std::string folder = file("other");
  Launch other = some_launch("other", folder);
};

TEST_F(WeightsOfAnotherJob, AreThoseOfItsLastCheckpointItsBestOrANamedOne) {
  commit(5);
  commit(10);
  const std::string first = folder + "/checkpoint-5-0-1-1";
  checkpoint::CheckpointFolder(storages.for_url(folder), folder)
      .write_best({{"checkpoint-5-0-1-1.manifest", crc32c_of(first + ".manifest")}, 0.5});
  for (const std::string& from : {folder, folder + "/", "file://" + folder})
    EXPECT_EQ(begun_with(from), at(10)) << from;
  for (const std::string& from : {folder + "/BEST", first, first + ".manifest"})
    EXPECT_EQ(begun_with(from), at(5)) << from;
}

TEST_F(WeightsOfAnotherJob, AreThoseThatTheCoordinatorHasCheckedWhileTheJobGoesOn) {
  commit(5);
  EXPECT_EQ(begun_with(folder, [&] { commit(10); }), at(5));
  EXPECT_EQ(begun_with(folder), at(10));
}

TEST_F(WeightsOfAnotherJob, AreChosenAnewIfTheyWereRemoved) {
  for (const char* ending : {".index", ".data-00000-of-00002"}) {
    commit(other.fence.incarnation * 5);
    const std::string last = folder + "/checkpoint-" + std::to_string((other.fence.incarnation - 1) * 5) + "-0-" +
                             std::to_string(other.fence.incarnation - 1) + "-1";
    try {
      begun_with(folder, [&] { std::filesystem::remove(last + ending); });
      FAIL() << ending;
    } catch (const Error& error) {
      EXPECT_EQ(error.blame(), Blame::platform);
      EXPECT_EQ(std::string(error.what()),
                "spec.training.initialWeights.from: " + last + ending +
                    " is not there any more, as the job that wrote it has newer ones; this is tried again");
    }
  }
}

TEST_F(WeightsOfAnotherJob, AreRefusedIfItHasNone) {
  const std::string field = "spec.training.initialWeights.from: ";
  std::filesystem::create_directory(folder);
  EXPECT_EQ(refusal(beginning_with(folder)), field + folder + ": holds no HEAD; name the checkpoint folder of a job");
  EXPECT_EQ(refusal(beginning_with(folder + "/checkpoint-5-0-1-1.manifest")),
            field + "there is no " + folder +
                "/checkpoint-5-0-1-1.index; name a .safetensors file, the checkpoint "
                "folder of a job, or what the names of a checkpoint's files begin with");
  claimed(other, storages);
  EXPECT_EQ(refusal(beginning_with(folder)), field + folder + ": holds no checkpoint yet");
  EXPECT_EQ(refusal(beginning_with(folder + "/BEST")),
            field + folder + ": holds no BEST; no checkpoint there was evaluated; see spec.data.eval");
}

TEST_F(WeightsOfAnotherModel, AreNotReadOnceThereIsACommit) {
  Launch launch = some_launch("job", file("here"));
  launch.config.training.initial_weights = InitialWeights{.from = file("none.safetensors")};
  EXPECT_NE(refusal(launch.config), "none");
  leave_checkpoint(launch, storages, 25);
  require_initial_weights(launch, setup_from(launch.config).layout, storages);
  launch.fence.incarnation = 2;
  EXPECT_EQ(loaded(launch, storages, claimed(launch, storages)).version, 25U);
}

}  // namespace
}  // namespace carrack::train
