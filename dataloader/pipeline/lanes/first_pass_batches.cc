#include "dataloader/pipeline/lanes/first_pass_batches.h"

#include <algorithm>
#include <utility>

#include "dataloader/records/frame.h"

namespace carrack::data {

std::variant<Batch, FirstPass::Totals, Corrupt> FirstPassBatches::read(std::uint64_t step, Range lanes) {
  take_lanes(lanes);
  Frames frames;
  std::vector<Range> rows;
  bool one_has_ended = false;
  for (std::uint64_t lane = lanes.begin; lane < lanes.end; ++lane) {
    const std::uint64_t first = frames.all.size();
    if (std::optional<Corrupt> corrupt = gather(lane, pass_.streams().places(step, lane), frames)) return *corrupt;
    rows.push_back({first, frames.all.size()});
    one_has_ended = one_has_ended || rows.back().size() == 0;
  }
  // Only now: what is missing still was not kept before this step's parameters were there.
  if (one_has_ended) {
    const std::optional<FirstPass::Totals> totals = pass_.totals();
    if (totals && step >= totals->steps) return *totals;
  }
  return parsed(std::move(frames), std::move(rows));
}

// Who had the lanes before may have come further than was known here.
void FirstPassBatches::take_lanes(Range lanes) {
  if (lanes_ == lanes) return;
  std::erase_if(open_, [&](const auto& one) { return one.first < lanes.begin || one.first >= lanes.end; });
  if (lanes_) {
    std::vector<std::size_t> files;
    for (std::uint64_t lane = lanes.begin; lane < lanes.end; ++lane) {
      const std::vector<std::size_t>& its = pass_.streams().files(lane);
      files.insert(files.end(), its.begin(), its.end());
    }
    pass_.known().refresh(files);
  }
  lanes_ = lanes;
}

std::optional<Corrupt> FirstPassBatches::gather(std::uint64_t lane, Range places, Frames& to) {
  KnownIndexes& known = pass_.known();
  std::uint64_t before = 0;  // Records in the files before.
  for (const std::size_t file : pass_.streams().files(lane)) {
    if (before >= places.end) break;
    const Range wanted{std::max(places.begin, before) - before, places.end - before};
    const Index* index = known.index(file);
    if (index == nullptr || wanted.begin < index->records()) {
      const std::size_t first = to.all.size();
      if (std::optional<Corrupt> corrupt = gather(lane, file, wanted, to)) return corrupt;
      for (Frames::One& one : std::span(to.all).subspan(first)) one.file = file;
      index = known.index(file);
    }
    if (index == nullptr) break;  // The step ends within the file.
    before += index->records();
    if (before <= places.end) known.publish(file);
  }
  return std::nullopt;
}

std::optional<Corrupt> FirstPassBatches::gather(std::uint64_t lane, std::size_t file, Range records, Frames& to) {
  Open& opened = open(lane, file);
  if (!opened.walk) {
    const Index& index = *pass_.known().index(file);
    const Range there{records.begin, std::min(records.end, index.records())};
    return read_frames(
        *opened.source, there, [&](std::uint64_t record) { return index.at(record); }, to);
  }
  if (std::optional<Corrupt> corrupt = opened.walk->take(records, to)) return corrupt;
  if (std::optional<Index> index = opened.walk->index()) {
    pass_.known().add(file, *std::move(index));
    opened.walk.reset();
  }
  return std::nullopt;
}

FirstPassBatches::Open& FirstPassBatches::open(std::uint64_t lane, std::size_t file) {
  Open& opened = open_[lane];
  if (opened.source && opened.file == file) return opened;
  opened.walk.reset();  // It reads the source.
  opened.file = file;
  opened.source = pass_.known().source(file);
  if (!pass_.known().known(file)) opened.walk = std::make_unique<FileWalk>(*opened.source);
  return opened;
}

std::variant<Batch, FirstPass::Totals, Corrupt> FirstPassBatches::parsed(Frames frames,
                                                                         std::vector<Range> lanes) const {
  const auto bytes = std::make_shared<const Bytes>(std::move(frames.bytes));
  Rows rows;
  rows.count = frames.all.size();
  LargeVector<std::string_view> records;
  for (const Frames::One& one : frames.all) {
    const std::byte* data = bytes->data() + one.at.begin + frame::header_size;
    records.push_back({reinterpret_cast<const char*>(data), one.at.size() - frame::overhead});
    const auto name = std::make_shared<const std::string>(pass_.known().file(one.file).url);
    rows.origins.push_back({name, one.record, one.offset});
  }
  rows.columns.push_back({"record", std::move(records)});
  rows.memory.push_back(bytes);
  if (rows.count > 0) parse_(rows);
  if (!rows.lost.empty()) return rows.lost.front().why;
  return Batch{std::move(rows), std::move(lanes)};
}

}  // namespace carrack::data
