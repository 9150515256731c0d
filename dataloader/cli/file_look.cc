#include "dataloader/cli/file_look.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "dataloader/cli/looks_like.h"
#include "dataloader/records/frame.h"

namespace carrack::data::cli {
namespace {

// The beginning of a file as if there were no more of it.
class Beginning final : public ByteSource {
 public:
  Beginning(const ByteSource& file, std::uint64_t bytes)
      : file_(file), stat_{std::min(file.stat().size, bytes), file.stat().version} {}

  const std::string& name() const override { return file_.name(); }
  const ObjectStat& stat() const override { return stat_; }
  ReadResult read(std::span<const Slice> slices) const override { return file_.read(slices); }

 private:
  const ByteSource& file_;
  ObjectStat stat_;
};

Bytes first_of(const ByteSource& file) {
  Bytes bytes(std::min<std::uint64_t>(file.stat().size, telling_bytes));
  const Slice slice{0, bytes};
  if (!bytes.empty() && file.read({&slice, 1}) != ReadResult::complete) bytes.clear();
  return bytes;
}

void take(FileLook& look, Quantiles<double>& sizes, const Records& records) {
  for (const Record& record : records.records) {
    look.sizes.add(record.data.size());
    sizes.add(static_cast<double>(record.data.size()));
    look.seen += record.data.size() + frame::overhead;
  }
  look.records += records.records.size();
}

void take(FileLook& look, Corrupt fault) {
  ++look.damaged;
  look.lost += fault.lost;
  if (look.faults.size() < FileLook::most_faults) look.faults.push_back(std::move(fault));
}

// What it looks like, if nothing in it is a record and it does not begin with one that is damaged.
std::string something_else(const FileLook& look, std::span<const std::byte> first) {
  if (look.kind == Kind::lfs_pointer) return kind_text(look.kind);
  if (look.kind == Kind::records || look.records > 0 || look.faults.empty()) return "";
  const Fault fault = look.faults.front().fault;
  if (look.kind == Kind::unknown) return fault == Fault::changed ? "" : looks_like(first);
  return fault == Fault::bad_length ? std::string(look.kind == Kind::gzip ? "GZIP" : "ZLIB") + " of something else"
                                    : "";
}

}  // namespace

std::optional<std::uint64_t> FileLook::estimated_records() const {
  if (kind != Kind::records || seen == 0) return std::nullopt;
  return static_cast<std::uint64_t>(static_cast<double>(records) * static_cast<double>(bytes) /
                                    static_cast<double>(seen));
}

FileLook look_at(const ByteSource& file, Front front, const Use& use) {
  const Bytes first = first_of(file);
  const Beginning beginning(file, front.bytes);
  FileLook look;
  look.name = file.name();
  look.bytes = file.stat().size;
  look.kind = kind_of(std::span(first).first(std::min(first.size(), first_bytes)));
  look.whole = beginning.stat().size == look.bytes;
  Quantiles<double> sizes;
  RecordReader reader(beginning, {.allow_truncated = !look.whole});
  for (;;) {
    auto next = reader.next();
    if (std::holds_alternative<EndOfFile>(next)) break;
    if (Corrupt* fault = std::get_if<Corrupt>(&next)) {
      take(look, std::move(*fault));
      if (front.ends_with_damage) break;
      continue;
    }
    Records& records = std::get<Records>(next);
    const bool enough = records.records.size() > front.records - look.records;
    if (enough) records.records = records.records.first(front.records - look.records);
    if (!records.records.empty()) {
      take(look, sizes, records);
      use(records);
    }
    if (enough) {
      look.whole = false;
      break;
    }
  }
  look.median_size = Distribution(sizes).at(0.5);
  look.looks = something_else(look, first);
  return look;
}

}  // namespace carrack::data::cli
