// The batches of a first pass, read from files of which only some are indexed. What is read is indexed: before a batch
// is given that uses the last record of a file, all members of the job can find its index. What is open here is a
// cache; any step may be asked for at any time, and one that follows the last costs the least.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <variant>
#include <vector>

#include "dataloader/pipeline/lanes/batches.h"
#include "dataloader/pipeline/lanes/file_walk.h"
#include "dataloader/pipeline/lanes/first_pass.h"
#include "dataloader/pipeline/sequences/sequence.h"

namespace carrack::data {

class FirstPassBatches {
 public:
  // `parse` makes the rows of the column `record`.
  FirstPassBatches(FirstPass pass, RowsFunction parse) : pass_(std::move(pass)), parse_(std::move(parse)) {}

  const FirstPass& pass() const { return pass_; }
  // A step's rows, without the numbers of their records, which nobody knows yet; or the first record among them that
  // cannot be used; or what the whole pass has turned out to be, where the step lies behind its end. Lanes may be
  // empty before that. To be asked for a step once all before it are done, by whomever.
  // Throws an Error where an index cannot be kept.
  std::variant<Batch, FirstPass::Totals, Corrupt> read(std::uint64_t step, Range lanes);

  // Once its end is known.
  std::vector<IndexedFile> indexed() const { return pass_.known().indexed(); }

 private:
  struct Open {
    std::size_t file = 0;
    std::unique_ptr<const ByteSource> source;
    std::unique_ptr<FileWalk> walk;  // nothing where there is an index
  };

  void take_lanes(Range lanes);
  std::optional<Corrupt> gather(std::uint64_t lane, Range places, Frames& to);
  std::optional<Corrupt> gather(std::uint64_t lane, std::size_t file, Range records, Frames& to);
  Open& open(std::uint64_t lane, std::size_t file);
  std::variant<Batch, FirstPass::Totals, Corrupt> parsed(Frames frames, std::vector<Range> lanes) const;

  FirstPass pass_;
  RowsFunction parse_;
  std::optional<Range> lanes_;          // read last
  std::map<std::uint64_t, Open> open_;  // by lane
};

}  // namespace carrack::data
