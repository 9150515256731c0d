// FirstPassBatches: reads the batches of a first pass, the first epoch of a training whose files are not all indexed
// when it begins. For a worker it takes the place of Batches until the pass is over. Reading a file to its end makes
// its index. read() writes this index to the shared folder before it returns the file's last record, so all members of
// the job can find it. Steps can be read in any order; the step after the last one that was read is the cheapest. Not
// thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <variant>
#include <vector>

#include "dataloader/pipeline/lanes/batches.h"
#include "dataloader/pipeline/lanes/file_scan.h"
#include "dataloader/pipeline/lanes/first_pass.h"
#include "dataloader/pipeline/sequences/sequence.h"

namespace carrack::data {

class FirstPassBatches {
 public:
  // `parse` replaces the column "record" by the columns of the batches. It is called on the thread that calls read(),
  // and only if there are rows.
  FirstPassBatches(FirstPass pass, RowsFunction parse, OnDamage on_damage)
      : pass_(std::move(pass)), parse_(std::move(parse)), on_damage_(on_damage) {}

  const FirstPass& pass() const { return pass_; }
  // Reads some lanes of a step. Call it only when all earlier steps are done, by any members. Returns
  // - the rows; a lane may have none. Rows::places is empty, since places are not known before the end of the pass;
  // - with OnDamage::stop, the fault of one of these records that cannot be used; with `skip`, the fault of a file that
  //   cannot be read at all;
  // - the size of the pass, if the step is after the end of the pass.
  // Throws an Error if storage fails, even while an index is published. The first read of a lane may take long, since
  // it may have to read a file from its beginning; `goes_on` is called after each piece of a file, and after each file.
  std::variant<Batch, FirstPass::Totals, Corrupt> read(
      std::uint64_t step, Range lanes, const std::function<void()>& goes_on = [] {});

  // Returns all files with their indexes. Call it only once read() has returned the totals.
  std::vector<IndexedFile> indexed() const { return pass_.known().indexed(); }

 private:
  struct OpenFile {
    std::size_t file = 0;
    std::unique_ptr<const ByteSource> source;
    std::unique_ptr<FileScan> scan;  // nullptr if the file's index is known
  };

  void change_lanes(Range lanes);
  std::optional<Corrupt> read_lane(std::uint64_t lane, Range places, Frames& to, const std::function<void()>& goes_on);
  std::optional<Corrupt> read_file(std::uint64_t lane, std::size_t file, Range records, Frames& to,
                                   const std::function<void()>& goes_on);
  OpenFile& open(std::uint64_t lane, std::size_t file);
  Rows parsed(Frames frames) const;

  FirstPass pass_;
  RowsFunction parse_;
  OnDamage on_damage_;
  std::optional<Range> lanes_;                    // of the last call; nullopt before the first call
  std::map<std::uint64_t, OpenFile> open_files_;  // by lane
};

}  // namespace carrack::data
