#include "trainer/look/look.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <span>

#include "dataloader/records/frame.h"
#include "tests/dataloader/storage/temporary_folder.h"
#include "tests/trainer/look/records.h"
#include "trainer/checkpoint/head.h"

namespace carrack::train {
namespace {

using testing::ElementsAre;

data::StorageSettings nobody_listens() {
  data::StorageSettings settings;
  settings.gcs.emulator = "http://127.0.0.1:1";
  settings.retries.tries = 1;
  return settings;
}

class Look : public testing::Test {
 protected:
  Look() {
    config.data.files = {path("*.tfrecord")};
    config.data.features = {{.name = "unread"}, {.name = "x", .size = 2}, {.name = "y"}};
    config.model = LinearRegression{.input = "x", .target = "y"};
    config.checkpoint.folder = path("out");
  }

  std::string path(const std::string& name) const { return here.path() + "/" + name; }

  void write(const std::string& name, const std::string& bytes) const {
    std::filesystem::create_directories(std::filesystem::path(path(name)).parent_path());
    std::ofstream(path(name), std::ios::binary) << bytes;
  }

  static std::string framed(const std::vector<data::Bytes>& records) {
    data::Bytes file;
    for (const data::Bytes& record : records) data::frame::append(file, record);
    return {reinterpret_cast<const char*>(file.data()), file.size()};
  }

  void write_records(const std::string& name, const std::vector<SomeValues>& records) const {
    std::vector<data::Bytes> examples;
    for (const SomeValues& record : records) examples.push_back(example_with(record));
    write(name, framed(examples));
  }

  void commit_as(const std::string& job) {
    checkpoint::Head head;
    head.job = job;
    head.incarnation = 1;
    head.nonce = "n";
    head.committed = checkpoint::Committed{"checkpoint-40-0-1-1.manifest", 1};
    const std::string text = checkpoint::encode_head(head);
    const std::string file = config.checkpoint.folder + "/HEAD";
    storages.for_url(file).replace_if(file, std::nullopt, std::as_bytes(std::span(text)));
  }

  LookResult look(Reach reach = Reach::everything) const { return look_at(config, uid, storages, reach); }
  std::vector<LookProblem> problems() const { return look().problems; }

  const data::TemporaryFolder here;
  const data::Storages storages{nobody_listens()};
  Config config;
  std::string uid;
};

TEST_F(Look, FindsNothingWrongWithWhatIsAsTheManifestSays) {
  write_records("a.tfrecord", {{}, {}});
  write_records("b.tfrecord", {{}});
  config.data.evaluation = EvaluationData{{path("b.tfrecord")}};
  const LookResult found = look();
  EXPECT_THAT(found.problems, ElementsAre());
  EXPECT_EQ(found.training_files, 2U);
  EXPECT_EQ(found.evaluation_files, 1U);
}

TEST_F(Look, ReadsAllFeaturesOfARecordForAnOwnModel) {
  write_records("a.tfrecord", {{}});
  EXPECT_THAT(problems(), ElementsAre());
  config.model = OwnModel{{{"w", {2}}}};
  const LookResult found = look();
  ASSERT_EQ(found.problems.size(), 1U);
  EXPECT_EQ(found.problems[0].field, "spec.data.features.unread");
  EXPECT_EQ(found.features.size(), 3U);
}

TEST_F(Look, NamesPatternsThatMatchNothing) {
  write_records("a.tfrecord", {{}});
  config.data.files = {path("a.tfrecord"), path("b-*"), here.path()};
  config.data.evaluation = EvaluationData{{path("none")}};
  EXPECT_THAT(problems(),
              ElementsAre(LookProblem{"spec.data.train.files[1]", "no file matches " + path("b-*")},
                          LookProblem{"spec.data.train.files[2]",
                                      here.path() + " is a folder; name its files, as in " + path("*.tfrecord")},
                          LookProblem{"spec.data.eval.files[0]", "no file matches " + path("none")}));
}

TEST_F(Look, FindsFilesWithoutARecord) {
  write("a.tfrecord", "");
  EXPECT_THAT(problems(), ElementsAre(LookProblem{"spec.data.train.files", "the files hold no record"}));
  write_records("b.tfrecord", {{}});
  EXPECT_THAT(problems(), ElementsAre());
}

TEST_F(Look, SaysWhatAFileIsThatHoldsNoRecords) {
  write_records("a.tfrecord", {{}});
  write("b.csv", "n,x\n1,2\n");
  for (const char* name : {"c.tfrecord", "d.tfrecord", "e.tfrecord", "f.tfrecord"}) write_records(name, {{}});
  write("g.parquet", "PAR1 and more bytes than a record takes");
  config.data.files = {path("*")};
  EXPECT_THAT(
      problems(),
      ElementsAre(LookProblem{"spec.data.train.files[0]",
                              path("b.csv") + ": holds no records: text; `carrack data convert " + path("b.csv") +
                                  " --to " + path("b.tfrecord") + "` makes records of it"},
                  LookProblem{"spec.data.train.files[0]", path("g.parquet") + ": holds no records: a Parquet file"}));
}

TEST_F(Look, NamesAFewOfManyFilesThatHoldNoRecords) {
  for (char name = 'a'; name <= 'i'; ++name) write(std::string(1, name) + ".tfrecord", "n,x\n1,2\n3,4\n");
  const std::vector<LookProblem> found = problems();
  ASSERT_EQ(found.size(), 6U);
  EXPECT_TRUE(found[4].text.starts_with(path("e.tfrecord") + ": holds no records: text")) << found[4].text;
  EXPECT_EQ(found[5], (LookProblem{"spec.data.train.files", "4 more files cannot be used"}));
}

TEST_F(Look, NamesDamageAndWhatIsNoExample) {
  const data::Bytes other(20, std::byte{0xff});
  write("a.tfrecord", framed({example_with({}), other}));
  std::string damaged = framed({example_with({})});
  damaged[damaged.size() - 6] ^= 1;
  write("b.tfrecord", damaged);
  EXPECT_THAT(
      problems(),
      ElementsAre(LookProblem{"spec.data.train.files[0]", path("a.tfrecord") + ": record 1 is not a tf.Example"},
                  LookProblem{"spec.data.train.files[0]",
                              path("b.tfrecord") + ": record 0 at byte 0: the data does not match its checksum"}));
}

TEST_F(Look, ComparesTheFirstRecordsOfTheFirstTheMiddleAndTheLastFile) {
  const SomeValues bad{.x = {1}};
  for (const char* name : {"a", "b", "c", "d", "e"}) write_records(std::string(name) + ".tfrecord", {{}, {}, {}, bad});
  EXPECT_THAT(problems(), ElementsAre()) << "three records of each";
  for (const auto& [name, seen] : {std::pair("a", true), {"b", false}, {"c", true}, {"d", false}, {"e", true}}) {
    write_records(std::string(name) + ".tfrecord", {{}, bad});
    EXPECT_EQ(problems().size(), seen ? 1U : 0U) << name;
    write_records(std::string(name) + ".tfrecord", {{}});
  }
}

TEST_F(Look, TakesCompressedFiles) {
  const unsigned char gzip[] = {0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0};  // of nothing
  write("a.tfrecord", {reinterpret_cast<const char*>(gzip), sizeof gzip});
  EXPECT_THAT(problems(), ElementsAre());
  config.data.stages = {Snapshot{path("prepared")}};
  EXPECT_THAT(problems(), ElementsAre());
}

TEST_F(Look, ComparesRecordsThatAFilterMayLeaveOutWithItsFeatureAlone) {
  write_records("a.tfrecord", {{.x = {1}}});
  config.data.stages = {Filter{.feature = "y", .min = 0, .max = {}}, Snapshot{path("prepared")}};
  EXPECT_THAT(problems(), ElementsAre());
  config.data.evaluation = EvaluationData{{path("a.tfrecord")}};
  EXPECT_THAT(problems(),
              ElementsAre(LookProblem{"spec.data.features.x.size",
                                      "is 2, but " + path("a.tfrecord") + ": record 0 holds 1 value; write size: 1"}));
}

TEST_F(Look, NamesAllThatIsWrongAtOnce) {
  write_records("a.tfrecord", {{}});
  config.data.features = {{.name = "m"}, {.name = "x", .size = 3}};
  config.model = LinearRegression{.input = "x", .target = "m"};
  config.data.evaluation = EvaluationData{{path("none")}};
  config.checkpoint.resume = path("earlier");
  std::vector<std::string> fields;
  for (const LookProblem& problem : problems()) fields.push_back(problem.field);
  EXPECT_THAT(fields, ElementsAre("spec.data.eval.files[0]", "spec.data.features.m", "spec.data.features.x.size",
                                  "spec.checkpoint.resume"));
}

TEST_F(Look, FindsPatternsThatMatchWhatTheJobWrites) {
  config.data.files = {path("out/*")};
  EXPECT_THAT(problems(),
              ElementsAre(LookProblem{
                  "spec.data.train.files[0]",
                  path("out/*") + " matches HEAD, which the job itself writes to spec.checkpoint.folder; give it a "
                                  "folder apart, or say more of the files' names"}));
}

TEST_F(Look, KnowsWhetherThereIsACheckpointToStartFrom) {
  write_records("a.tfrecord", {{}});
  config.checkpoint.resume = path("earlier");
  EXPECT_THAT(problems(),
              ElementsAre(LookProblem{"spec.checkpoint.resume",
                                      path("earlier") + ": does not exist; name the checkpoint folder of a job"}));
  config.checkpoint.resume = "";
  config.training.initial_weights = InitialWeights{.from = path("w.safetensors")};
  EXPECT_THAT(problems(), ElementsAre(LookProblem{
                              "spec.training.initialWeights.from",
                              "there is no " + path("w.safetensors") +
                                  "; name a .safetensors file, the checkpoint folder of a job, or what the names of a "
                                  "checkpoint's files begin with"}));
  write("w.safetensors", "any bytes");
  EXPECT_THAT(problems(), ElementsAre()) << "what is in it the job checks";
  config.training.initial_weights->from = here.path();
  EXPECT_THAT(problems(),
              ElementsAre(LookProblem{"spec.training.initialWeights.from",
                                      here.path() + ": holds no HEAD; name the checkpoint folder of a job"}));
  write("ckpt-5.index", "any bytes");
  config.training.initial_weights->from = path("ckpt-5");
  EXPECT_THAT(problems(), ElementsAre());
}

TEST_F(Look, LooksForNoCheckpointToStartFromIfTheJobGoesOnFromACommit) {
  write_records("a.tfrecord", {{}});
  commit_as("this");
  config.checkpoint.resume = path("earlier");
  config.training.initial_weights = InitialWeights{.from = path("w.safetensors")};
  for (const OnTaken on_taken : {OnTaken::fail, OnTaken::go_on}) {
    config.checkpoint.on_taken = on_taken;
    EXPECT_THAT(problems(), ElementsAre());
  }
  config.checkpoint.on_taken = OnTaken::replace;
  uid = "this";
  EXPECT_THAT(problems(), ElementsAre()) << "the commit is its own";
}

TEST_F(Look, LooksForACheckpointToStartFromIfTheJobReplacesAnother) {
  write_records("a.tfrecord", {{}});
  commit_as("other");
  config.checkpoint.resume = path("earlier");
  config.checkpoint.on_taken = OnTaken::replace;
  for (const char* of : {"", "this"}) {
    uid = of;
    EXPECT_THAT(problems(),
                ElementsAre(LookProblem{"spec.checkpoint.resume",
                                        path("earlier") + ": does not exist; name the checkpoint folder of a job"}));
  }
}

TEST_F(Look, ReportsWhatIsNoUrl) {
  write_records("a.tfrecord", {{}});
  config.checkpoint = {.folder = "file://rel", .resume = "s3://b/x"};
  const auto found = problems();
  ASSERT_EQ(found.size(), 3U);
  const std::string no_url =
      "file://rel: a file URL has three slashes and no host; write file:///ABSOLUTE/PATH or a bare path";
  EXPECT_EQ(found[0], (LookProblem{"spec.data.train.files[0]", no_url})) << "where the job itself writes is not known";
  EXPECT_EQ(found[1], (LookProblem{"spec.checkpoint.folder", no_url}));
  EXPECT_EQ(found[2].field, "spec.checkpoint.resume");
}

TEST_F(Look, ReportsAStorageThatCannotBeUsedOnceForEachField) {
  write_records("a.tfrecord", {{}});
  config.data.files = {path("a.tfrecord"), "gs://bucket/a"};
  const auto found = problems();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].field, "spec.data.train.files[1]");
  EXPECT_TRUE(found[0].text.starts_with("cannot be looked at: ")) << found[0].text;
  EXPECT_THAT(look(Reach::local_files).problems, ElementsAre());
}

TEST_F(Look, FindsNoFaultInDamageThatTheJobSkips) {
  std::string damaged = framed({example_with({}), example_with({})});
  damaged[damaged.size() - 6] ^= 1;
  write("b.tfrecord", damaged);
  write_records("d.tfrecord", {{.x = {1, 2, 3}}, {}});
  EXPECT_EQ(problems().size(), 2u);
  config.data.on_damage = OnDamage::skip;
  EXPECT_THAT(problems(), ElementsAre());
  // If no record that was looked at has all features, the manifest is wrong rather than the records.
  std::filesystem::remove(path("b.tfrecord"));
  write_records("d.tfrecord", {{.x = {1, 2, 3}}});
  EXPECT_EQ(problems().size(), 1u);
  // A file that does not begin with a record may be of another kind.
  std::string length = framed({example_with({}), example_with({})});
  length[0] ^= 1;
  write("d.tfrecord", length);
  EXPECT_THAT(problems(), ElementsAre(LookProblem{"spec.data.train.files[0]",
                                                  path("d.tfrecord") + ": holds no records: of unknown kind"}));
}

}  // namespace
}  // namespace carrack::train
