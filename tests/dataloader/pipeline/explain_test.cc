// Plans in words: what each stage gives, how it goes on, how files are read.
#include "dataloader/pipeline/explain.h"

#include <gtest/gtest.h>

#include "tests/dataloader/pipeline/examples_on_disk.h"
#include "tests/dataloader/pipeline/numbered_rows.h"

namespace carrack::data {
namespace {

std::string explained(const Dataset& dataset, const ReadingOptions& options = {.cpus = 2, .memory = 256 << 20}) {
  const Reading reading(dataset, storages, options);
  return explain(reading.stages(), options);
}

const char* const means =
    "threads: 2 at first, one for each CPU; up to 64 where they wait for storage\n"
    "memory: 268.4 MB, half of it for what is made ready: at first up to 5 batches, and as many as fit once one has "
    "come\n";

TEST(Explain, SaysOfEachStageWhatItGivesAndHowItGoesOn) {
  EXPECT_EQ(explained(ids(0, 1200).shuffle().map("tens", times_ten()).batch(64).repeat()),
            std::string("stage                                               gives                          goes on\n"
                        "rows(1200, crc32c ee84472b)                         1,200 rows, by place           "
                        "exactly, from a few numbers\n"
                        "shuffle(full or runs of 4 MiB, 16 at once, seed 0)  1,200 rows, by place           "
                        "exactly, from a few numbers\n"
                        "map(tens)                                           1,200 rows, by place           "
                        "exactly, from a few numbers\n"
                        "batch(64)                                           19 batches, by place           "
                        "exactly, from a few numbers\n"
                        "repeat(without end)                                 batches without end, by place  "
                        "exactly, from a few numbers\n\n") +
                means);
}

TEST(Explain, SaysHowFilesAreRead) {
  const ExamplesOnDisk files(3, 400);
  const Dataset records = Dataset::records({files.pattern()});
  const auto says = [](const Dataset& dataset, const std::string& words,
                       const ReadingOptions& options = {.memory = 256 << 20}) {
    EXPECT_NE(explained(dataset, options).find("\n\nreads 3 files, 38.3 kB: " + words + "\n"), std::string::npos)
        << explained(dataset, options);
  };
  const std::string kept = ", in blocks of 262.1 kB; the last used ones are kept, up to ";
  says(records, "rows are read in their order" + kept + "134.2 MB, which is all of them");
  says(records.shuffle(), "each row is read where it lies, in any order" + kept + "134.2 MB, which is all of them");
  says(records, "rows are read in their order" + kept + "10.0 kB", {.memory = 20'000});
  says(records.shuffle({.kind = Shuffle::Kind::block}),
       "runs of neighbours are read, in any order, and their rows held until they come, 1,184 rows of about 36.7 kB");
}

// Of what lies behind a network, without one.
std::vector<OpenedStage> far(ReadOrder read_order) {
  const OpenedStage records{.kind = "records",
                            .description = "gs://b/x-*",
                            .is_sequence = true,
                            .elements = 1'000'000,
                            .element_bytes = 1000,
                            .facts = {.files = 10, .file_bytes = 1'000'000'000, .is_remote = true}};
  OpenedStage batch = records;
  batch.kind = "batch";
  batch.description = "10000";
  batch.elements = 100;
  batch.element_bytes = 10'000'000;
  batch.batch = 10'000;
  batch.facts.read_order = read_order;
  batch.facts.held_rows = read_order == ReadOrder::runs ? 6656 : 0;
  return {records, batch};
}

// Blocks hold what the files inflate to, of which nobody knows the size.
TEST(Explain, SaysInWhichBlocksCompressedFilesAreRead) {
  std::vector<OpenedStage> stages = far(ReadOrder::scattered);
  for (OpenedStage& stage : stages) {
    stage.facts.is_remote = false;
    stage.facts.is_inflated = true;
    stage.facts.file_bytes = 1000;
  }
  EXPECT_NE(explain(stages, {.cpus = 2, .memory = 256 << 20})
                .find("reads 10 files, 1.0 kB: each row is read where it lies, in any order, in blocks of 4.2 MB; the "
                      "last used ones are kept, up to 134.2 MB\n"),
            std::string::npos)
      << explain(stages, {.cpus = 2, .memory = 256 << 20});
}

TEST(Explain, SaysHowManyRequestsABatchTakes) {
  const auto reads = [](ReadOrder read_order) {
    const std::string text = explain(far(read_order), {.cpus = 2});
    const std::size_t begin = text.find("reads ");
    return text.substr(begin, text.find('\n', begin) - begin);
  };
  EXPECT_EQ(reads(ReadOrder::as_stored),
            "reads 10 files, 1.0 GB: rows are read in their order; a batch is 3 requests or fewer, 10.0 MB");
  EXPECT_EQ(reads(ReadOrder::runs),
            "reads 10 files, 1.0 GB: runs of neighbours are read, in any order, and their rows held until they come, "
            "6,656 rows of about 6.7 MB; a batch is then about 3 requests, 10.0 MB");
  EXPECT_EQ(
      reads(ReadOrder::scattered),
      "reads 10 files, 1.0 GB: each row is read where it lies, in any order; a batch is 10,000 requests or fewer, "
      "10.0 MB");
}

TEST(Explain, SaysWhatAStateHolds) {
  const Shuffle buffer{.kind = Shuffle::Kind::buffer, .buffer = 5000};
  EXPECT_EQ(explained(ids(0, 100).filter("even", even()).shuffle(buffer).batch(8)),
            std::string("stage                            gives                 goes on\n"
                        "rows(100, crc32c 863682a9)       100 rows, by place    exactly, from a few numbers\n"
                        "filter(even)                     rows as they come     exactly, from a few numbers\n"
                        "shuffle(buffer of 5000, seed 0)  rows as they come     exactly, with 5,000 rows in the state, "
                        "about 40.0 kB\n"
                        "batch(8)                         batches as they come  exactly, with 5,000 rows in the state, "
                        "about 40.0 kB\n\n") +
                means);
  EXPECT_NE(explained(generated(0, 9).batch(3)).find("exactly, by reading again what came before"), std::string::npos);
  const ReadingOptions unordered{.cpus = 2, .deterministic = false};
  EXPECT_NE(explained(ids(0, 9), unordered).find("not at all, as rows come as they are ready"), std::string::npos);
}

}  // namespace
}  // namespace carrack::data
