#include "dataloader/pipeline/lanes/first_pass.h"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "dataloader/crc32c.h"

namespace carrack::data {
namespace {

std::vector<std::uint64_t> sizes_of(const KnownIndexes& files) {
  std::vector<std::uint64_t> sizes;
  for (std::size_t i = 0; i < files.files(); ++i) sizes.push_back(files.file(i).stat.size);
  return sizes;
}

FileTotals totals_of(const KnownIndexes& files) {
  FileTotals totals;
  for (std::size_t i = 0; i < files.files(); ++i) {
    const ObjectStat& stat = files.file(i).stat;
    if (stat.size == 0) continue;
    const std::string line = std::to_string(stat.size) + " " + stat.version.text + "\n";
    totals.crc32c = crc32c(std::as_bytes(std::span(line)), totals.crc32c);
    ++totals.files;
    totals.bytes += stat.size;
  }
  return totals;
}

// The text identifies checkpoints of older releases, so it must never change.
std::string fingerprint_of(const FileTotals& totals, std::uint64_t lanes) {
  return "first pass in " + std::to_string(lanes) + " lanes, files " + std::to_string(totals.files) + ", bytes " +
         std::to_string(totals.bytes) + ", crc32c " + crc32c_hex(totals.crc32c);
}

}  // namespace

FirstPass::FirstPass(KnownIndexes known, std::uint64_t seed, Batching batching)
    : known_(std::move(known)),
      streams_(seed, sizes_of(known_), batching),
      file_totals_(totals_of(known_)),
      data_fingerprint_(fingerprint_of(file_totals_, batching.lanes)) {
  for (const std::size_t i : known_.missing()) {
    // The index of an empty file is known without reading it.
    if (known_.file(i).stat.size == 0) known_.add(i, Index(known_.file(i).stat, {}, 0));
  }
}

std::optional<FirstPass::Totals> FirstPass::totals() {
  // Each lane reads its files in order, so a missing index is most likely that of the last file of a lane. Looks for
  // these first, because one missing index is enough to return.
  for (std::uint64_t lane = 0; lane < streams_.lanes(); ++lane) {
    const std::vector<std::size_t>& files = streams_.files(lane);
    if (!files.empty() && !known_.look_up_or_throw(files.back())) return std::nullopt;
  }
  known_.refresh(known_.missing());
  Totals totals;
  for (std::uint64_t lane = 0; lane < streams_.lanes(); ++lane) {
    const std::optional<std::uint64_t> records = records_in(lane);
    if (!records) return std::nullopt;
    totals.steps = std::max(totals.steps, streams_.steps(lane, *records));
    totals.records += *records;
  }
  return totals;
}

std::optional<std::uint64_t> FirstPass::records_in(std::uint64_t lane) {
  const std::vector<std::size_t>& files = streams_.files(lane);
  if (files.empty()) return 0;
  if (!known_.look_up_or_throw(files.back())) return std::nullopt;
  known_.refresh(files);
  std::uint64_t records = 0;
  for (const std::size_t file : files) {
    if (!known_.look_up_or_throw(file)) return std::nullopt;
    records += known_.index(file)->records();
  }
  return records;
}

std::uint64_t FirstPass::records_used(std::uint64_t steps) {
  std::uint64_t used = 0;
  for (std::uint64_t lane = 0; lane < streams_.lanes(); ++lane) {
    const std::uint64_t places = streams_.places(steps, lane).begin;
    // A lane with few records may have used all of them in fewer steps. Then the indexes of its files are published,
    // and records_in() returns the number of records. If records_in() returns nullopt, the lane is not at its end, so
    // it has used a record for each place.
    used += std::min(places, records_in(lane).value_or(places));
  }
  return used;
}

}  // namespace carrack::data
