// Reading: an open Dataset that is read from its beginning to its end, in batches or in chunks of rows.
//
//   Reading reading(dataset, storages, {.cpus = 8});
//   while (std::optional<Rows> batch = reading.next()) train(*batch);
//
// Its position can be saved in a few bytes, and restored by any process that opens the same data set, even with another
// number of readers. Used by one thread at a time. Its worker threads read sequences ahead; the thread that calls
// next() reads sources that are streams (dataset.h). Training jobs do not use it: see trainer/loop/data/input.h.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dataloader/error.h"
#include "dataloader/indexes/indexed_files.h"
#include "dataloader/pipeline/dataset.h"
#include "dataloader/pipeline/report.h"
#include "dataloader/pipeline/sequences/batch_share.h"
#include "dataloader/pipeline/stages/facts.h"
#include "dataloader/storage/storages.h"

namespace carrack::data {

struct ReadingOptions {
  std::optional<unsigned> cpus = {};  // nullopt: all that this process may use
  unsigned max_threads = 64;          // maximum number of worker threads, or `cpus` if that is more
  // Bytes for results that are ready and for cached blocks of files, half each. A pipeline of several sources may use
  // as much for each source. nullopt: an eighth of the memory that this process may use, at most 2 GiB. Block shuffles
  // may use up to half of the memory of this process in addition.
  std::optional<std::uint64_t> memory = {};
  BatchShare share = {};                // the part of each batch that this reader gets; without batches: all rows
  bool deterministic = true;            // false: results are returned as soon as they are ready; there is no state then
  OnDamage on_damage = OnDamage::stop;  // what to do about rows that cannot be used
  IndexingOptions indexing = {};        // where indexes are found and written; `damage` is ignored
  std::size_t timeline = 0;             // maximum number of calls of stages that timeline() shows; 0: none
  // Called by next() before each result of the pipeline, and about ten times a second while it waits for a program, but
  // not while it waits for storage. If opening reads a program, it calls this, too. What it throws, next() or the
  // constructor throws. Must not be empty. If it never throws, next() may wait forever for a program that writes
  // nothing, or for a usable row in an endless series of bad rows.
  std::function<void()> check_cancelled = [] {};
};

// Replaces `cpus` and `memory`, if they are nullopt, by what this process may use.
ReadingOptions with_process_defaults(ReadingOptions options);

// Thrown by next() where reading stops at damage. what() says where the damage is, what is wrong, and how many bytes
// are lost.
class Damaged : public Refused {
 public:
  explicit Damaged(Corrupt corrupt);
  const Corrupt& why() const { return why_; }

 private:
  Corrupt why_;
};

class Reading {
 public:
  // Lists and indexes the files, and writes missing snapshots, which may take long. The storages must outlive this
  // object; `dataset` and `options` are copied. Throws an Error for files that cannot be used, and for options that
  // make no sense.
  Reading(const Dataset& dataset, const Storages& storages, const ReadingOptions& options);
  // Waits for the reads that are in progress.
  ~Reading();
  Reading(const Reading&) = delete;
  Reading& operator=(const Reading&) = delete;

  // Returns the next rows or batch; nullopt at the end. With several readers a result may have no rows, since all
  // readers take equally many steps. Rows::lost is empty. Throws an Error if storage fails or rows cannot be read. With
  // OnDamage::stop the rows end at a damaged record. The rows before it are returned first, the last batch being
  // smaller (or left out, with drop_remainder). Then each further call throws Damaged. After any other exception, do
  // not call this again.
  std::optional<Rows> next();

  // Returns the position after the rows that next() returned last. If damage has cut them short, it is a position
  // before the damage, perhaps before these rows, so a restored reading comes to the damage again.
  // docs/formats/pipeline_state.md is the format. Throws an Error unless `deterministic`.
  std::string state() const;
  // Continues from a saved state. Call it before the first next(). Throws an Error if that is too late, for a state of
  // another pipeline or of other data, and unless `deterministic`. Accepts any bytes, and states of all versions of the
  // format.
  void restore(std::string_view state);
  // How exactly restore() continues; Resume::none unless `deterministic`.
  Resume resume() const;
  // The stages as they were opened, inputs first, for explain(). Valid as long as this object.
  const std::vector<OpenedStage>& stages() const;

  // With OnDamage::skip: the number of rows that were left out (with those that a snapshot or the cache of a stream
  // lacks, and those before a restored state), the number of bytes that were lost since this was opened, and the first
  // hundred of the rows.
  std::uint64_t lost() const;
  std::uint64_t lost_bytes() const;
  const std::vector<Corrupt>& first_lost() const;
  // What each stage has used since this was opened, for report.h.
  Measured measured() const;
  // What each thread did when, as JSON for chrome://tracing and Perfetto.
  std::string timeline() const;

 private:
  struct Pipeline;
  std::unique_ptr<Pipeline> pipeline_;
};

}  // namespace carrack::data
