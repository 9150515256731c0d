// How a program that writes records is opened: the rest of stages.h.
#include <algorithm>
#include <chrono>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "dataloader/error.h"
#include "dataloader/pipeline/stages/stages.h"
#include "dataloader/records/record_reader.h"
#include "dataloader/sources/program_stream.h"

namespace carrack::data {
namespace {

// Started when its first record is wanted. It goes on from a state by running anew.
class ProgramRecords final : public Stream {
 public:
  ProgramRecords(Program program, std::function<void()> check_cancelled)
      : program_(std::move(program)),
        heed_(std::move(check_cancelled)),
        name_(std::make_shared<const std::string>(name_of(program_))) {}

  std::optional<Rows> next() override {
    constexpr std::chrono::seconds to_end(10);
    if (!reader_) reader_.emplace(*name_, std::make_unique<ProgramStream>(program_, to_end, heed_));
    for (;;) {
      auto next = reader_->next();
      if (std::holds_alternative<EndOfFile>(next)) {
        if (left_out_ < to_leave_out_) throw Error(*name_ + ": gives fewer records than when the state was saved");
        return std::nullopt;
      }
      Corrupt* const corrupt = std::get_if<Corrupt>(&next);
      Records records = corrupt != nullptr ? Records{} : std::get<Records>(next);
      const std::size_t count = corrupt != nullptr ? 1 : records.records.size();
      const std::size_t known = std::min<std::uint64_t>(count, to_leave_out_ - left_out_);
      left_out_ += known;
      given_ += count - known;
      if (known == count) continue;
      Rows rows;
      if (corrupt != nullptr) {
        rows.lost.push_back({0, std::move(*corrupt)});
      } else {
        records.first += known;
        records.records = records.records.subspan(known);
        rows = copied(records);
      }
      return rows;
    }
  }
  // A damaged place counts as a record. How many come at once is up to the pipe.
  void save(StateWriter& state) const override { state.number(given_); }
  void restore(StateReader& state) override { given_ = to_leave_out_ = state.number(); }

 private:
  Rows copied(const Records& records) const {
    std::size_t size = 0;
    for (const Record& record : records.records) size += record.data.size();
    const std::shared_ptr<std::byte[]> memory(new std::byte[size]);
    std::byte* free = memory.get();
    LargeVector<std::string_view> texts;
    Rows rows;
    rows.count = records.records.size();
    for (const Record& record : records.records) {
      std::memcpy(free, record.data.data(), record.data.size());
      texts.emplace_back(reinterpret_cast<const char*>(free), record.data.size());
      rows.origins.push_back({name_, records.first + rows.origins.size(), record.offset});
      free += record.data.size();
    }
    rows.columns.push_back({"record", std::move(texts)});
    rows.memory.push_back(memory);
    return rows;
  }

  const Program program_;
  const std::function<void()> heed_;
  const std::shared_ptr<const std::string> name_;
  std::optional<RecordReader> reader_;
  std::uint64_t given_ = 0;
  std::uint64_t to_leave_out_ = 0, left_out_ = 0;  // as they were given before
};

}  // namespace

Opened open_program(const Program& program, const OpenContext& context) {
  Opened opened;
  opened.stream = context.profile.timed("program", [program, check_cancelled = context.check_cancelled](std::uint64_t) {
    return std::make_unique<ProgramRecords>(program, check_cancelled);
  });
  opened.resume = Resume::exact_state;
  return opened;
}

}  // namespace carrack::data
