// Encoded images in a job's records: what a worker gets of them, with an index and before there is one.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "dataloader/images/image_decoder.h"
#include "dataloader/records/example_writer.h"
#include "dataloader/records/frame.h"
#include "tests/dataloader/images/encoded.h"
#include "tests/dataloader/storage/temporary_folder.h"
#include "tests/trainer/loop/job_in_storage.h"
#include "trainer/error.h"
#include "trainer/loop/data/training_data.h"

namespace carrack::train {
namespace {

constexpr std::size_t records = 12;  // in each file

// Two files of images, of other sizes each; batches of eight in two lanes.
class Images : public testing::Test {
 protected:
  Images() {
    std::filesystem::create_directories(here.path() + "/data");
    for (std::size_t i = 0; i < 2 * records; ++i) {
      const auto size = static_cast<std::uint32_t>(20 + i);
      images.push_back(i % 2 == 0 ? data::jpeg_of({.height = size, .width = 30})
                                  : data::png_of({.height = 30, .width = size}));
    }
    launch.config.model = LinearRegression{"image", "y"};
    launch.config.data.files = {here.path() + "/data/*"};
    launch.config.data.features = {{"image", FeatureType::float32, 0, {}}, {"y", FeatureType::float32, 1}};
    launch.config.data.stages = {};
    launch.config.training.batch = 8;
    launch.config.training.lanes = 2;
    launch.config.training.epochs = 2;
    launch.config.checkpoint.folder = here.path() + "/checkpoints";
    launch.config.workers.min = 0;  // Nobody is waited for.
  }

  data::Bytes record_of(std::size_t number) const {
    const data::Encoded& encoded = images[number];
    const std::string_view image[1] = {{reinterpret_cast<const char*>(encoded.data()), encoded.size()}};
    const float y[1] = {static_cast<float>(number)};
    const data::NamedValues values[] = {{"image", std::span<const std::string_view>(image)},
                                        {"y", std::span<const float>(y)}};
    return data::example_of(values);
  }

  void write_files() const {
    for (std::size_t file = 0; file < 2; ++file) {
      data::Bytes bytes;
      for (std::size_t i = file * records; i < (file + 1) * records; ++i) data::frame::append(bytes, record_of(i));
      std::ofstream(here.path() + "/data/" + std::to_string(file), std::ios::binary)
          .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    }
  }

  TrainingData read_by(const Image& image) {
    write_files();
    launch.config.data.features[0] = {"image", FeatureType::float32, value_count(image), image};
    setup_.emplace(setup_from(launch.config));
    JobData begun = open_data_as_coordinator(launch, *setup_, context_, [](const data::IndexingProgress&) {});
    is_first_pass = std::holds_alternative<data::FirstPass>(begun);
    return {std::move(begun), launch, *setup_, context_};
  }

  using Pixels = std::vector<float>;

  // By the number of the record, all that an epoch has.
  static std::map<int, Pixels> epoch(TrainingData data, std::uint64_t first_step = 0, std::uint64_t steps = 3) {
    std::map<int, Pixels> found;
    for (std::uint64_t step = first_step; step < first_step + steps; ++step) {
      const auto read = data.read({step, {0, 2}});
      const data::Rows& rows = std::get<TrainingData::Step>(read).batch.rows;
      const auto& pixels = std::get<data::LargeVector<float>>(rows.column("image").values);
      const auto& numbers = std::get<data::LargeVector<float>>(rows.column("y").values);
      const auto size = static_cast<std::ptrdiff_t>(pixels.size() / rows.count);
      for (std::ptrdiff_t row = 0; row < std::ssize(numbers); ++row)
        found[static_cast<int>(numbers[static_cast<std::size_t>(row)])] =
            Pixels(pixels.begin() + row * size, pixels.begin() + (row + 1) * size);
    }
    return found;
  }

  Pixels decoded(std::size_t number, const data::ImageRequest& request, const data::CropAndMirror& cut = {}) const {
    Pixels pixels(request.size->height * request.size->width * request.channels);
    EXPECT_FALSE(data::ImageDecoder(request).decode(images[number], cut, std::span(pixels)));
    return pixels;
  }

  const data::TemporaryFolder here;
  const data::Storages storages{data::StorageSettings{}};
  std::vector<data::Encoded> images;
  Launch launch = some_launch("job", "");
  bool is_first_pass = false;

 private:
  const RoleContext context_ = some_surroundings(storages);
  std::optional<train::Setup> setup_;
};

TEST_F(Images, AreThePixelsThatWereAskedFor) {
  const auto all = epoch(read_by({.height = 4, .width = 6}));
  EXPECT_FALSE(is_first_pass);
  EXPECT_EQ(all.size(), 2 * records);
  for (const auto& [number, pixels] : all)
    EXPECT_EQ(pixels, decoded(static_cast<std::size_t>(number), {.size = data::ImageSize{4, 6}})) << number;
  const auto middle = epoch(read_by({.height = 6,
                                     .width = 4,
                                     .channels = 1,
                                     .layout = ImageLayout::nchw,
                                     .crop = {.kind = CropKind::central, .fraction = 0.5},
                                     .black = -1,
                                     .white = 1}));
  const data::ImageRequest grey{.channels = 1,
                                .size = data::ImageSize{6, 4},
                                .layout = data::Layout::channels_first,
                                .scale = {2.0F / 255, 2.0F / 255, 2.0F / 255, 2.0F / 255},
                                .offset = {-1, -1, -1, -1}};
  for (const auto& [number, pixels] : middle)
    EXPECT_EQ(pixels, decoded(static_cast<std::size_t>(number), grey, {.crop = data::CentralFraction{0.5}})) << number;
}

TEST_F(Images, AreTheSameBeforeThereIsAnIndex) {
  launch.config.data.stages = {Shuffle{}};
  const auto first = epoch(read_by({.height = 4, .width = 6}));
  EXPECT_TRUE(is_first_pass);
  launch.config.training.deterministic = true;
  launch.config.checkpoint.folder = here.path() + "/others";
  EXPECT_EQ(epoch(read_by({.height = 4, .width = 6})), first);
  EXPECT_FALSE(is_first_pass);
}

// Whoever reads a record in an epoch, of whichever start, draws the same; another epoch draws anew.
TEST_F(Images, AreCutAndMirroredByRecordAndEpoch) {
  const Image drawn{.height = 4, .width = 6, .crop = {.kind = CropKind::random}, .mirror = true};
  launch.config.data.stages = {Shuffle{}};
  const auto first = epoch(read_by(drawn)), second = epoch(read_by(drawn), 3);
  EXPECT_EQ(epoch(read_by(drawn)), first);
  EXPECT_EQ(epoch(read_by(drawn), 3), second);
  std::size_t differ = 0;
  for (const auto& [number, pixels] : first) differ += pixels != second.at(number) ? 1 : 0;
  EXPECT_EQ(differ, 2 * records);
  launch.config.training.seed = 4;
  EXPECT_NE(epoch(read_by(drawn)), first);
}

TEST_F(Images, AreCutAtLeastAsLargeAsTheyAreToBe) {
  const auto cut = [&](double least) {
    return epoch(read_by({.height = 4, .width = 6, .crop = {.kind = CropKind::random, .min_area = least}}));
  };
  EXPECT_NE(cut(1), cut(0.01));
}

TEST_F(Images, ThatCannotBeDecodedAreTheUsersError) {
  images[records + 3] = data::front(images[records + 3], 30);
  const std::string begun_unindexed =
      "; set spec.data.onDamage: skip to go on without it, or mend the file (`carrack data convert` with --on-damage "
      "skip leaves out what is damaged) and begin another "
      "job, "
      "with another checkpoint.folder: this one began before its data was indexed, and what it has committed goes on "
      "with these very files alone";
  std::uint64_t offset = 0;
  for (std::size_t i = records; i < records + 3; ++i) offset += data::frame::overhead + record_of(i).size();
  for (const std::vector<Stage>& stages : {std::vector<Stage>{}, std::vector<Stage>{Shuffle{}}}) {
    launch.config.data.stages = stages;
    TrainingData data = read_by({.height = 4, .width = 6});
    EXPECT_EQ(is_first_pass, !stages.empty());
    try {
      epoch(std::move(data));
      FAIL() << "was trained on";
    } catch (const Error& error) {
      EXPECT_EQ(error.blame(), Blame::user);
      EXPECT_EQ(error.what(), here.path() + "/data/1: record 3 at byte " + std::to_string(offset) +
                                  ": the image in \"image\": it is cut short: its bytes end before the image does, at "
                                  "its byte 30" +
                                  (is_first_pass ? begun_unindexed : ""));
    }
    launch.config.checkpoint.folder += "-again";
  }
}

TEST_F(Images, ThatCannotBeDecodedAreLeftOutIfDamageIsSkipped) {
  images[records + 3] = data::front(images[records + 3], 30);
  launch.config.data.on_damage = OnDamage::skip;
  for (const std::vector<Stage>& stages : {std::vector<Stage>{}, std::vector<Stage>{Shuffle{}}}) {
    launch.config.data.stages = stages;
    EXPECT_EQ(epoch(read_by({.height = 4, .width = 6})).size(), images.size() - 1);
    launch.config.checkpoint.folder += "-again";
  }
}

}  // namespace
}  // namespace carrack::train
