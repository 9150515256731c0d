#include "operator/cli/run_request.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "operator/error.h"
#include "tests/dataloader/storage/temporary_folder.h"
#include "tests/operator/core/decide.h"

namespace carrack::control {
namespace {

constexpr const char* manifest = R"(
apiVersion: carrack.dev/v1alpha1
kind: TrainingJob
metadata: {name: line}
spec:
  strategy: ParameterServer
  model: {kind: LinearRegression, input: x, target: "y"}
  data:
    train: {files: [data/*.tfrecord, "gs://b/../x"], stages: [snapshot: {folder: ./prepared/}]}
    features: {x: {type: float32}, "y": {type: float32}}
  training: {batch: 32, optimizer: {kind: SGD}}
)";

std::variant<RunRequest, Printed> request_of(std::vector<std::string> arguments) {
  std::vector<char*> pointers;
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  return parse_run_request(pointers);
}

std::string wrong_with(const std::vector<std::string>& arguments) {
  const auto printed = std::get<Printed>(request_of(arguments));
  EXPECT_EQ(printed.exit_code, 2);
  EXPECT_EQ(printed.out, "");
  return printed.err;
}

TEST(RunRequest, TakesOptionsInBothSpellingsAndKeepsWhatWasTyped) {
  const auto request = std::get<RunRequest>(request_of({"my job.yaml", "--folder", "a", "--trainer=b"}));
  EXPECT_EQ(request.manifest, "my job.yaml");
  EXPECT_EQ(request.folder, "a");
  EXPECT_EQ(request.trainer, "b");
  EXPECT_EQ(request.typed, " 'my job.yaml' --folder a --trainer=b");
}

TEST(RunRequest, DoesNotSuspendAgainInTheCommandThatGoesOn) {
  const auto request =
      std::get<RunRequest>(request_of({"job.yaml", "--set", "spec.run.suspend=true", "--set=spec.run.suspend=true",
                                       "--set", "spec.training.epochs=3", "--folder", "a"}));
  EXPECT_TRUE(request.sets_suspend);
  EXPECT_EQ(request.typed_to_go_on, " job.yaml --set spec.training.epochs=3 --folder a");
}

TEST(RunRequest, TakesValuesInPlaceOfThoseOfTheManifest) {
  const auto request = std::get<RunRequest>(
      request_of({"job.yaml", "--set", "spec.training.epochs=3", "--set=spec.model.target=\"y\""}));
  ASSERT_EQ(request.overrides.size(), 2U);
  EXPECT_EQ(request.overrides[0].path, "spec.training.epochs");
  EXPECT_EQ(request.overrides[1].path, "spec.model.target");
  EXPECT_EQ(request.typed, " job.yaml --set spec.training.epochs=3 '--set=spec.model.target=\"y\"'");
  EXPECT_FALSE(request.sets_suspend);
  EXPECT_EQ(wrong_with({"job.yaml", "--set", "epochs"}),
            "carrack run: --set: is 'epochs'; write PATH=VALUE, as in spec.training.epochs=3\n");
}

TEST(RunRequest, PrintsItsHelpWhereItIsAskedTo) {
  const auto help = std::get<Printed>(request_of({"job.yaml", "--help"}));
  EXPECT_EQ(help.exit_code, 0);
  EXPECT_EQ(help.out.substr(0, 27), "usage: carrack run MANIFEST");
  EXPECT_EQ(help.err, "");
  EXPECT_EQ(std::get<Printed>(request_of({"-h"})).out, help.out);
  EXPECT_EQ(wrong_with({}), help.out);
}

TEST(RunRequest, SaysWhatItDoesNotUnderstand) {
  EXPECT_EQ(
      wrong_with({"job.yaml", "--zzzzzzzz=red"}),
      "carrack run: does not know '--zzzzzzzz'; there are --folder, --trainer, --set, --no-data, --help; `carrack run "
      "--help` lists "
      "what it does\n");
  EXPECT_EQ(
      wrong_with({"job.yaml", "--fodler", "x"}),
      "carrack run: does not know '--fodler'; did you mean '--folder'?; `carrack run --help` lists what it does\n");
  EXPECT_EQ(wrong_with({"a.yaml", "b.yaml"}), "carrack run: takes one manifest; 'b.yaml' is one too many\n");
  EXPECT_EQ(wrong_with({"job.yaml", "--folder"}), "carrack run: --folder needs a value\n");
  EXPECT_EQ(wrong_with({"job.yaml", "--folder", ""}), "carrack run: --folder needs a value\n");
  EXPECT_EQ(wrong_with({"job.yaml", "--trainer="}), "carrack run: --trainer needs a value\n");
}

class Jobs : public testing::Test {
 protected:
  std::string write(const std::string& text) {
    std::ofstream(home_.path() + "/job.yaml") << text;
    return home_.path() + "/job.yaml";
  }

  JobSpec job(RunRequest& request) {
    return std::get<LoadedJob>(load_job(request.manifest, request.overrides, request.folder, any_model)).spec;
  }

  std::string problems(const std::string& text) {
    RunRequest request{.manifest = write(text), .folder = "", .trainer = "", .typed = ""};
    return std::get<Printed>(load_job(request.manifest, request.overrides, request.folder, any_model)).err;
  }

  const data::TemporaryFolder home_;
};

TEST_F(Jobs, AreFoundFromAnyFolderInOneSpelling) {
  std::filesystem::create_directories(home_.path() + "/a");
  std::filesystem::create_directories(home_.path() + "/b");
  const std::string before = std::filesystem::current_path();
  std::vector<JobSpec> jobs;
  for (const std::string from : {"/a", "/b", "/a"}) {
    RunRequest request{.manifest = write(std::string(manifest) + "  checkpoint: {resume: ../b/./earlier/}\n"),
                       .folder = "../runs/",
                       .trainer = "",
                       .typed = ""};
    std::filesystem::current_path(home_.path() + from);
    jobs.push_back(job(request));
    std::filesystem::current_path(before);
    EXPECT_EQ(request.folder, home_.path() + "/runs");
  }
  EXPECT_EQ(jobs[0].config.checkpoint,
            (train::Checkpoint{.folder = home_.path() + "/runs/checkpoints", .resume = home_.path() + "/b/earlier"}));
  EXPECT_EQ(jobs[0].config.data.files, (std::vector<std::string>{home_.path() + "/a/data/*.tfrecord", "gs://b/../x"}));
  EXPECT_EQ(jobs[0].config.data.stages, (std::vector<train::Stage>{train::Snapshot{home_.path() + "/a/prepared"}}));
  EXPECT_EQ(jobs[1].config.data.files.front(), home_.path() + "/b/data/*.tfrecord") << "other data";
  EXPECT_EQ(jobs[1].config.checkpoint, jobs[0].config.checkpoint);
  EXPECT_EQ(jobs[2], jobs[0]);
}

TEST_F(Jobs, AreOfTheSameMixedFilesFromAnyFolder) {
  std::string mixed = manifest;
  const std::string set = "files: [data/*.tfrecord, \"gs://b/../x\"], stages: [snapshot: {folder: ./prepared/}]";
  mixed.replace(mixed.find(set), set.size(), "mix: [{files: [a], weight: 1}, {files: [b/../c], weight: 1}]");
  RunRequest request{.manifest = write(mixed), .folder = "", .trainer = "", .typed = ""};
  const std::vector<train::MixedSet> mix = job(request).config.data.mix;
  const std::string here = std::filesystem::current_path();
  EXPECT_EQ(mix[0].files, std::vector<std::string>{here + "/a"});
  EXPECT_EQ(mix[1].files, std::vector<std::string>{here + "/c"});
}

// The name of a file of weights says what format it has, so a link is not replaced by what it leads to.
TEST_F(Jobs, BeginWithTheWeightsThatAreNamed) {
  const auto weights_of = [&](const std::string& from) {
    std::string text = manifest;
    text.replace(text.find("{batch: 32, "), 12, "{batch: 32, initialWeights: {from: \"" + from + "\"}, ");
    RunRequest request{.manifest = write(text), .folder = "", .trainer = "", .typed = ""};
    return job(request).config.training.initial_weights->from;
  };
  const std::string here = std::filesystem::current_path();
  std::filesystem::create_directories(home_.path() + "/blobs");
  std::ofstream(home_.path() + "/blobs/0f3a") << "weights";
  std::filesystem::create_symlink(home_.path() + "/blobs/0f3a", home_.path() + "/blobs/a.safetensors");
  EXPECT_EQ(weights_of(home_.path() + "/./blobs/a.safetensors"), home_.path() + "/blobs/a.safetensors");
  EXPECT_EQ(weights_of("a.safetensors"), here + "/a.safetensors");
  EXPECT_EQ(weights_of("models/../ckpt-5"), here + "/ckpt-5");
  EXPECT_EQ(weights_of("/ckpt-5"), "/ckpt-5");
  EXPECT_EQ(weights_of("gs://b/../ckpt-5"), "gs://b/../ckpt-5");
}

TEST_F(Jobs, AreRefusedInWordsThatATerminalCanShow) {
  const std::string file = home_.path() + "/job.yaml";
  EXPECT_EQ(problems("- a\n"), file + ": manifest: is a list; must be an object (line 1)\n");
  EXPECT_EQ(problems(std::string(manifest) + "  \"\\e[2J\": 1\n").find('\x1b'), std::string::npos);
  std::string much = manifest;
  much.replace(much.find("ParameterServer"), 15, 900'000, 'a');
  const std::string said = problems(much);
  EXPECT_LT(said.size(), 4096U);
  EXPECT_NE(said.find("a' is unknown; there are Single, ParameterServer, Own (line 6)\n"), std::string::npos) << said;
}

TEST_F(Jobs, HaveTheValuesOfTheCommandLine) {
  const std::string file = write(manifest);
  const auto load = [&](const std::string& set) {
    std::string folder;
    return load_job(file, {std::get<Override>(parse_override(set))}, folder, any_model);
  };
  EXPECT_EQ(std::get<LoadedJob>(load("spec.training.batch=5")).spec.config.training.batch, 5);
  EXPECT_EQ(std::get<Printed>(load("spec.training.batch=0")).err,
            file + ": spec.training.batch: is 0; must be from 1 to 2147483647 (--set spec.training.batch)\n");
  EXPECT_EQ(std::get<Printed>(load("spec.training.epohs=5")).err,
            file + ": spec.training.epohs: is unknown; did you mean 'epochs'? (--set spec.training.epohs)\n");
  EXPECT_EQ(std::get<Printed>(load("spec.training.batch.x=5")).err,
            file + ": spec.training.batch: is a whole number, which holds no 'x' (--set spec.training.batch.x)\n");
}

TEST_F(Jobs, OfAFolderInsteadOfAFileAreRefusedByName) {
  RunRequest request{.manifest = home_.path(), .folder = "", .trainer = "", .typed = ""};
  try {
    load_job(request.manifest, request.overrides, request.folder, any_model);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.blame(), Blame::user);
    EXPECT_EQ(error.what(), home_.path() + ": cannot be read: Is a directory");
  }
}

}  // namespace
}  // namespace carrack::control
