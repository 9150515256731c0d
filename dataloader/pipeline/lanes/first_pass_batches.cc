#include "dataloader/pipeline/lanes/first_pass_batches.h"

#include <algorithm>
#include <utility>

#include "dataloader/records/frame.h"

namespace carrack::data {

std::variant<Batch, FirstPass::Totals, Corrupt> FirstPassBatches::read(std::uint64_t step, Range lanes,
                                                                       const std::function<void()>& goes_on) {
  change_lanes(lanes);
  Frames frames;
  std::vector<Range> requested;
  bool a_lane_has_ended = false;
  for (std::uint64_t lane = lanes.begin; lane < lanes.end; ++lane) {
    const std::uint64_t first = frames.requested();
    const Range places = pass_.streams().places(step, lane);
    if (std::optional<Corrupt> corrupt = read_lane(lane, places, frames, goes_on)) return *corrupt;
    if (on_damage_ == OnDamage::stop && !frames.lost.empty()) return frames.lost.front().why;
    requested.push_back({first, frames.requested()});
    a_lane_has_ended = a_lane_has_ended || requested.back().size() == 0;
  }
  // Looks for the end of the pass only if a lane has no record left. All earlier steps are done when this step is read.
  // So if the pass has ended, every file was read to its end and its index is published. If an index is missing, the
  // pass has not ended (docs/design/unindexed-epoch.md).
  if (a_lane_has_ended) {
    const std::optional<FirstPass::Totals> totals = pass_.totals();
    if (totals && step >= totals->steps) return *totals;
  }
  Rows rows = parsed(std::move(frames));
  if (on_damage_ == OnDamage::stop && !rows.lost.empty()) return rows.lost.front().why;
  const Batching& batching = pass_.streams().batching();
  return batch_of(std::move(rows), requested, lane_of(batching.batch, batching.lanes, lanes.begin).begin);
}

// Prepares for reading these lanes: closes the files of all other lanes. Also looks for indexes of the files of these
// lanes again, because the workers that read the lanes before may have published some.
void FirstPassBatches::change_lanes(Range lanes) {
  if (lanes_ == lanes) return;
  std::erase_if(open_files_, [&](const auto& one) { return one.first < lanes.begin || one.first >= lanes.end; });
  if (lanes_) {
    std::vector<std::size_t> files;
    for (std::uint64_t lane = lanes.begin; lane < lanes.end; ++lane) {
      const std::vector<std::size_t>& of_lane = pass_.streams().files(lane);
      files.insert(files.end(), of_lane.begin(), of_lane.end());
    }
    pass_.known().refresh(files);
  }
  lanes_ = lanes;
}

// Appends the records of a lane to `to`. `places` are numbers of records, counted over all files of the lane.
std::optional<Corrupt> FirstPassBatches::read_lane(std::uint64_t lane, Range places, Frames& to,
                                                   const std::function<void()>& goes_on) {
  KnownIndexes& known = pass_.known();
  std::uint64_t before = 0;  // number of records of the files before `file`
  for (const std::size_t file : pass_.streams().files(lane)) {
    if (before >= places.end) break;
    const Range records{std::max(places.begin, before) - before, places.end - before};
    const Index* index = known.index(file);
    if (index == nullptr || records.begin < index->records()) {
      const std::size_t first = to.frames.size();
      if (std::optional<Corrupt> corrupt = read_file(lane, file, records, to, goes_on)) return corrupt;
      for (Frames::Frame& frame : std::span(to.frames).subspan(first)) frame.file = file;
      index = known.index(file);
    }
    if (index == nullptr) break;  // The end of this file is not reached, so the step needs no later file.
    before += index->records();
    // This step, or an earlier one, has the last record of the file. Publishes its index before read() returns the
    // record, so that all members find the index when the step is done.
    if (before <= places.end) known.publish(file);
    goes_on();
  }
  return std::nullopt;
}

// Appends a range of the records of a file to `to`. Once the scan has come to the end of the file, later reads use its
// index.
std::optional<Corrupt> FirstPassBatches::read_file(std::uint64_t lane, std::size_t file, Range records, Frames& to,
                                                   const std::function<void()>& goes_on) {
  OpenFile& opened = open(lane, file);
  if (!opened.scan) {
    const Index& index = *pass_.known().index(file);
    const Range in_file{records.begin, std::min(records.end, index.records())};
    return read_frames(
        *opened.source, in_file, [&](std::uint64_t record) { return index.at(record); }, to);
  }
  if (std::optional<Corrupt> corrupt = opened.scan->read(records, to, goes_on)) return corrupt;
  if (std::optional<Index> index = opened.scan->index()) {
    pass_.known().add(file, *std::move(index));
    opened.scan.reset();
    opened.source = pass_.known().indexed_source(file);
  }
  return std::nullopt;
}

FirstPassBatches::OpenFile& FirstPassBatches::open(std::uint64_t lane, std::size_t file) {
  OpenFile& opened = open_files_[lane];
  if (opened.source && opened.file == file) return opened;
  opened.scan.reset();  // The scan refers to the source, which is replaced below.
  opened.file = file;
  const bool is_known = pass_.known().look_up(file);
  opened.source = is_known ? pass_.known().indexed_source(file) : pass_.known().source(file);
  if (is_known) return opened;
  const DamagedFile damage = on_damage_ == OnDamage::skip ? DamagedFile::indexed : DamagedFile::refused;
  opened.scan = std::make_unique<FileScan>(*opened.source, damage);
  return opened;
}

Rows FirstPassBatches::parsed(Frames frames) const {
  const auto bytes = std::make_shared<const Bytes>(std::move(frames.bytes));
  Rows rows;
  rows.count = frames.frames.size();
  LargeVector<std::string_view> records;
  for (const Frames::Frame& one : frames.frames) {
    const std::byte* data = bytes->data() + one.range.begin + frame::header_size;
    records.push_back({reinterpret_cast<const char*>(data), one.range.size() - frame::overhead});
    const auto name = std::make_shared<const std::string>(pass_.known().file(one.file).url);
    rows.origins.push_back({name, one.record, one.offset});
  }
  rows.columns.push_back({"record", std::move(records)});
  rows.memory.push_back(bytes);
  rows.lost = std::move(frames.lost);
  if (rows.count > 0) parse_(rows);
  return rows;
}

}  // namespace carrack::data
