#include "dataloader/pipeline/record_sequence.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "dataloader/error.h"
#include "dataloader/pipeline/fetch.h"
#include "dataloader/records/frame.h"

namespace carrack::data {
namespace {

// What is wrong with the bytes where a record should stand, if anything is.
std::optional<Fault> fault_of(std::span<const std::byte> bytes) {
  const std::optional<std::uint64_t> length = frame::length_in(bytes.first<frame::header_size>());
  if (!length) return Fault::bad_length;
  if (*length != bytes.size() - frame::overhead) return Fault::changed;
  if (!frame::holds(bytes.subspan(frame::header_size))) return Fault::bad_data;
  return std::nullopt;
}

class RecordSequence final : public Sequence {
 public:
  explicit RecordSequence(std::vector<IndexedFile> files) : files_(std::move(files)) {
    std::uint64_t bytes = 0;
    for (const IndexedFile& file : files_) {
      if (file.index.file() != file.source->stat())
        throw Error(file.source->name() + ": its index is that of another version; make it anew");
      ends_.push_back(size() + file.index.records());
      bytes += file.index.file().size;
      names_.push_back(std::make_shared<const std::string>(file.source->name()));
    }
    if (size() > 0) element_bytes_ = bytes / size();
  }

  std::uint64_t size() const override { return ends_.empty() ? 0 : ends_.back(); }
  std::uint64_t element_bytes() const override { return element_bytes_; }

  Rows read(std::span<const Place> places) const override {
    std::vector<Wanted> wanted = wanted_at(places);
    Fetched fetched = fetch(files_, wanted);
    Rows rows;
    if (fetched.changed != nullptr) {
      for (const Wanted& one : wanted) rows.lost.push_back({one.row, corrupt(one, Fault::changed)});
      std::ranges::sort(rows.lost, {}, &Lost::asked);
      return rows;
    }
    std::vector<std::string_view> records(places.size());
    rows.origins.resize(places.size());
    rows.count = places.size();
    std::vector<BadRow> bad;
    for (const Wanted& one : wanted) {
      if (const auto fault = fault_of(one.frame)) bad.push_back({one.row, corrupt(one, *fault)});
      records[one.row] = {reinterpret_cast<const char*>(one.frame.data()) + frame::header_size,
                          one.frame.size() - frame::overhead};
      rows.origins[one.row] = {names_[one.id.file], one.id.record, one.extent.offset};
    }
    rows.columns.push_back({"record", std::move(records)});
    rows.memory.push_back(std::shared_ptr<const std::byte[]>(std::move(fetched.memory)));
    lose(rows, std::move(bad));
    return rows;
  }

 private:
  std::vector<Wanted> wanted_at(std::span<const Place> places) const {
    std::vector<Wanted> wanted;
    wanted.reserve(places.size());
    std::size_t file = 0;
    for (const Place& place : places) {
      if (!holds(file, place.number))
        file = static_cast<std::size_t>(std::ranges::upper_bound(ends_, place.number) - ends_.begin());
      const RecordId id{file, place.number - begin_of(file)};
      wanted.push_back({id, wanted.size(), files_[file].index.at(id.record)});
    }
    return wanted;
  }
  std::uint64_t begin_of(std::size_t file) const { return file > 0 ? ends_[file - 1] : 0; }
  bool holds(std::size_t file, std::uint64_t number) const { return number >= begin_of(file) && number < ends_[file]; }
  Corrupt corrupt(const Wanted& record, Fault fault) const {
    return {fault, *names_[record.id.file], record.id.record, record.extent.offset, record.extent.size, what(fault)};
  }

  std::vector<IndexedFile> files_;
  std::vector<std::uint64_t> ends_;  // of each file, the number of records in it and those before
  std::vector<std::shared_ptr<const std::string>> names_;
  std::uint64_t element_bytes_ = 0;
};

}  // namespace

SequencePtr records_of(std::vector<IndexedFile> files) {
  return std::make_shared<RecordSequence>(std::move(files));
}

}  // namespace carrack::data
