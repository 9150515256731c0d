#include "dataloader/cli/shard_writer.h"

#include <algorithm>
#include <span>
#include <utility>

#include "dataloader/check.h"
#include "dataloader/cli/terminal.h"
#include "dataloader/error.h"
#include "dataloader/indexes/index_name.h"
#include "dataloader/records/frame.h"

namespace carrack::data::cli {

ShardWriter::ShardWriter(Storage& storage, Output output, Plan plan)
    : storage_(storage), output_(std::move(output)), plan_(std::move(plan)) {
  CHECK(!plan_.names.empty());
}

void ShardWriter::write(std::span<const std::byte> record) {
  // The shard follows from the share of all bytes that is written so far, so all shards get about the same size.
  const double share =
      plan_.frame_bytes == 0 ? 0 : static_cast<double>(written_bytes_) / static_cast<double>(plan_.frame_bytes);
  const auto shard = static_cast<std::size_t>(share * static_cast<double>(plan_.names.size()));
  while (committed_ < std::min(shard, plan_.names.size() - 1)) commit();
  open();
  sink_->write(record);
  written_bytes_ += frame::size_of(record.size());
}

void ShardWriter::finish() {
  while (committed_ < plan_.names.size()) commit();
}

void ShardWriter::open() {
  if (sink_) return;
  CHECK_LT(committed_, plan_.names.size());
  defer_interrupts();  // Otherwise an interrupt would not remove the unfinished file.
  sink_ =
      make_sink(output_, storage_.create(plan_.names[committed_], {.must_not_exist = !plan_.replace}), plan_.threads);
}

void ShardWriter::commit() {
  open();
  const std::string& name = plan_.names[committed_];
  // Removes the old column names first, so that new records are never read with the column names of other records.
  if (plan_.replace) storage_.remove(columns_beside(name));
  if (!sink_->commit()) throw Refused(name + ": is there already; --force replaces it");
  sink_.reset();
  ++committed_;
  if (!plan_.column_names.empty()) write_column_names(columns_beside(name));
}

void ShardWriter::write_column_names(const std::string& name) {
  const auto object = storage_.create(name, {.must_not_exist = !plan_.replace});
  object->write(std::as_bytes(std::span(plan_.column_names)));
  if (!object->commit()) throw Refused(name + ": is there already; --force replaces it");
  ++column_files_;
}

void ShardWriter::remove_written() {
  sink_.reset();
  for (std::size_t i = 0; i < committed_; ++i) storage_.remove(plan_.names[i]);
  for (std::size_t i = 0; i < column_files_; ++i) storage_.remove(columns_beside(plan_.names[i]));
  committed_ = column_files_ = 0;
}

}  // namespace carrack::data::cli
