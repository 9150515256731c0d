// A data set that is opened and read through: batch after batch, or rows by the chunk. It says where it goes on in a
// few bytes, and anyone who opens the same data set goes on from there: after a crash, or with other numbers of
// readers.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dataloader/indexes/indexed_files.h"
#include "dataloader/pipeline/dataset.h"
#include "dataloader/pipeline/execution/workers.h"
#include "dataloader/pipeline/explain.h"
#include "dataloader/pipeline/report.h"
#include "dataloader/pipeline/stages/profile.h"

namespace carrack::data {

struct ReadingOptions {
  std::optional<unsigned> cpus = {};  // else all that this process may use
  unsigned most_threads = 64;
  // Of what is made ready and what is kept of files; else an eighth of what this process may have, 2 GiB at
  // most.
  std::optional<std::uint64_t> memory = {};
  BatchShare share = {};      // of each batch, of one of several readers
  bool deterministic = true;  // else as it is ready, and without a state
  bool skip_corrupt = false;  // records that cannot be used are left out, counted and told of
  Indexing indexing = {};     // where indexes are looked for, and kept
  std::size_t timeline = 0;   // how many spans are kept for it
  // Called now and then while next() has nothing to give yet; what it throws, next() throws. Else nothing ends a wait
  // for a program that is silent, or for a good row among endless bad ones.
  std::function<void()> check_cancelled = [] {};
};

// With what this process may use in place of what nobody said.
ReadingOptions in_this_process(ReadingOptions asked);

class Reading {
 public:
  // Lists and indexes the files. The storages must outlive it.
  Reading(const Dataset& dataset, const Storages& storages, const ReadingOptions& options);

  // Nothing at the end. A share of a batch may have no rows, so that all readers take as many. Throws an Error at what
  // cannot be read or used.
  std::optional<Rows> next();

  std::string state() const;
  // Throws an Error after the first next(), and for what is no state, or that of another data set.
  void restore(std::string_view state);
  Resume resume() const { return opened_.resume; }
  // As they were opened, the source first: explain() puts them in words.
  const std::vector<OpenedStage>& stages() const { return stages_; }

  // What was left out: how many rows, how many bytes of them since it was opened, and the first hundred.
  std::uint64_t lost() const { return lost_; }
  std::uint64_t lost_bytes() const { return lost_bytes_; }
  const std::vector<Corrupt>& lost_first() const { return lost_first_; }
  // What each stage took until now.
  Measured measured() const;
  // What threads did when, for chrome://tracing and Perfetto.
  std::string timeline() const;

 private:
  void require_state() const;

  const ReadingOptions options_;
  Profile profile_;
  Workers workers_;
  std::vector<OpenedStage> stages_;
  Opened opened_;
  std::uint64_t fingerprint_;
  StreamPtr stream_;
  bool begun_ = false;
  std::uint64_t rows_ = 0;
  std::uint64_t waited_ns_ = 0;
  std::uint64_t lost_ = 0;
  std::uint64_t lost_bytes_ = 0;
  std::vector<Corrupt> lost_first_;
};

}  // namespace carrack::data
