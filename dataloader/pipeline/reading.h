// A data set that has been opened and is read from its beginning to its end, batch by batch or in chunks of rows. Its
// position can be saved in a few bytes and restored by any process that opens the same data set, also with another
// number of readers. Used by one thread at a time; its own worker threads do the reading.
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
  unsigned max_threads = 64;
  // Bytes for results that are ready and for blocks of files that are kept, half each; nullopt: an eighth of what this
  // process may have, at most 2 GiB.
  std::optional<std::uint64_t> memory = {};
  BatchShare share = {};                // the part of each batch that this reader gets, if there are several
  bool deterministic = true;            // false: results come as soon as they are ready, and there is no state
  OnDamage on_damage = OnDamage::stop;  // what rows that cannot be used do
  Indexing indexing = {};               // where indexes are found and written
  std::size_t timeline = 0;             // how many spans timeline() keeps
  // Called from time to time while next() waits; next() throws what it throws. Without it, next() may wait for ever for
  // a program that writes nothing, or for a usable row in an endless series of bad ones.
  std::function<void()> check_cancelled = [] {};
};

// Replaces nullopt by what this process may use.
ReadingOptions with_process_defaults(ReadingOptions options);

// What next() throws where a reading stops at damage. what() says where it is, what is wrong, and how much is lost.
class Damaged : public Refused {
 public:
  explicit Damaged(Corrupt corrupt);
  const Corrupt& why() const { return why_; }

 private:
  Corrupt why_;
};

class Reading {
 public:
  // Lists and indexes the files. The storages must outlive it. Throws an Error for files that cannot be used.
  Reading(const Dataset& dataset, const Storages& storages, const ReadingOptions& options);
  ~Reading();
  Reading(const Reading&) = delete;
  Reading& operator=(const Reading&) = delete;

  // The next rows or batch; nullopt at the end. A share of a batch may have no rows, as all readers take as many steps.
  // Throws an Error for what cannot be read or used. With OnDamage::stop a damaged record ends the rows: those before
  // it come first, the last batch shorter (or not at all, with drop_remainder), and then, at each further call,
  // Damaged.
  std::optional<Rows> next();

  // The position after the rows that next() returned last; before them if they are a batch, or a chunk, that damage has
  // cut short. A reading that is restored from it comes to the damaged place again. docs/formats/pipeline_state.md.
  std::string state() const;
  // Call before the first next(). Throws an Error if it is too late, and for a state of another data set. Accepts any
  // bytes, and states of all versions of the format.
  void restore(std::string_view state);
  // How exactly restore() continues.
  Resume resume() const;
  // The stages as they were opened, inputs first, for explain().
  const std::vector<OpenedStage>& stages() const;

  // With OnDamage::skip: how many rows were left out (also before a restored state), how many bytes they had (since it
  // was opened), and the first hundred of them.
  std::uint64_t lost() const;
  std::uint64_t lost_bytes() const;
  const std::vector<Corrupt>& lost_first() const;
  // What each stage has used until now.
  Measured measured() const;
  // What each thread did when, as JSON for chrome://tracing and Perfetto.
  std::string timeline() const;

 private:
  struct Pipeline;
  std::unique_ptr<Pipeline> pipeline_;
};

}  // namespace carrack::data
