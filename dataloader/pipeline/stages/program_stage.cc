#include "dataloader/pipeline/stages/program_stage.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "dataloader/error.h"
#include "dataloader/pipeline/streams/derived_streams.h"
#include "dataloader/records/record_reader.h"
#include "dataloader/sources/program_stream.h"

namespace carrack::data {
namespace {

// The records that one execution of a program writes. The saved state is the number of records, because chunks have
// other sizes in each execution: they depend on the pipe. A damaged place counts as one record. After restore(), runs
// the program again, and skips the records that were returned before.
class RecordsOfProgram final : public Stream {
 public:
  RecordsOfProgram(Program program, std::function<void()> check_cancelled)
      : program_(std::move(program)),
        check_cancelled_(std::move(check_cancelled)),
        name_(std::make_shared<const std::string>(name_of(program_))) {}

  std::optional<Rows> next() override {
    constexpr std::chrono::seconds time_to_exit(10);
    if (!reader_) reader_.emplace(*name_, std::make_unique<ProgramStream>(program_, time_to_exit, check_cancelled_));
    for (;;) {
      auto next = reader_->next();
      if (std::holds_alternative<EndOfFile>(next)) {
        if (skipped_ < restored_) throw Error(*name_ + ": gives fewer records than when the state was saved");
        return std::nullopt;
      }
      Corrupt* const corrupt = std::get_if<Corrupt>(&next);
      Records records = corrupt != nullptr ? Records{} : std::get<Records>(next);
      const std::size_t count = corrupt != nullptr ? 1 : records.records.size();
      const std::size_t old = std::min<std::uint64_t>(count, restored_ - skipped_);
      skipped_ += old;
      returned_ += count - old;
      if (old == count) continue;
      if (corrupt != nullptr) return Rows{.lost = {{0, std::move(*corrupt)}}};
      records.first += old;
      records.records = records.records.subspan(old);
      return copied(records);
    }
  }
  void save(StateWriter& state) const override { state.number(returned_); }
  void restore(StateReader& state) override { returned_ = restored_ = state.number(); }

 private:
  Rows copied(const Records& records) const {
    LargeVector<std::string_view> texts;
    Rows rows{.count = records.records.size()};
    for (const Record& record : records.records) {
      texts.emplace_back(reinterpret_cast<const char*>(record.data.data()), record.data.size());
      rows.origins.push_back({name_, records.first + rows.origins.size(), record.offset});
    }
    rows.columns.push_back({"record", std::move(texts)});
    return with_own_memory(std::move(rows));
  }

  const Program program_;
  const std::function<void()> check_cancelled_;
  const std::shared_ptr<const std::string> name_;
  std::optional<RecordReader> reader_;
  std::uint64_t returned_ = 0;  // number of records so far, including those that restore() makes next() skip
  std::uint64_t restored_ = 0;  // number of records to skip after restore()
  std::uint64_t skipped_ = 0;   // number of records that were skipped so far
};

}  // namespace

namespace stages {

Opened ProgramRecords::open(const OpenContext& context) const {
  const OpenStream stream = [program = program, check_cancelled = context.check_cancelled](std::uint64_t) {
    return std::make_unique<RecordsOfProgram>(program, check_cancelled);
  };
  return opened_stream(cut_at_damage(context.profile.timed("program", stream), context.on_damage), 0,
                       {.resume = Resume::exact_state});
}

}  // namespace stages
}  // namespace carrack::data
