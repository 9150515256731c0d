#include "dataloader/cli/shards.h"

#include <algorithm>
#include <utility>

#include "dataloader/cli/terminal.h"
#include "dataloader/error.h"
#include "dataloader/records/frame.h"

namespace carrack::data::cli {

Shards::Shards(Storage& storage, Output output, Plan plan)
    : storage_(storage), output_(std::move(output)), plan_(std::move(plan)) {}

void Shards::write(std::span<const std::byte> record) {
  const double share = plan_.size == 0 ? 0 : static_cast<double>(written_) / static_cast<double>(plan_.size);
  const auto wanted = static_cast<std::size_t>(share * static_cast<double>(plan_.names.size()));
  while (committed_ < std::min(wanted, plan_.names.size() - 1)) commit();
  open();
  sink_->write(record);
  written_ += frame::size_of(record.size());
}

void Shards::finish() {
  while (committed_ < plan_.names.size()) commit();
}

void Shards::open() {
  if (sink_) return;
  note_interrupts();
  sink_ =
      sink_for(output_, storage_.create(plan_.names[committed_], {.must_not_exist = !plan_.replaces}), plan_.threads);
}

void Shards::commit() {
  open();
  if (!sink_->commit()) throw Refused(plan_.names[committed_] + ": is there already; --force replaces it");
  sink_.reset();
  ++committed_;
}

void Shards::take_back() {
  sink_.reset();
  for (std::size_t i = 0; i < committed_; ++i) storage_.remove(plan_.names[i]);
  committed_ = 0;
}

}  // namespace carrack::data::cli
