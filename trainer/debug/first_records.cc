#include "trainer/debug/first_records.h"

#include <string>

#include "dataloader/text.h"
#include "trainer/error.h"
#include "trainer/loop/data/in_order.h"

namespace carrack::train {

FirstRecords first_records(const Launch& launch, const Setup& setup, const RoleContext& context, std::int64_t count) {
  const std::unique_ptr<Input> input = open_in_order(launch, setup, context, count, Shuffles::left_out);
  const std::uint64_t in_epoch = input->order().records();
  if (in_epoch < static_cast<std::uint64_t>(count)) {
    throw Error(Blame::user, "--records: is " + std::to_string(count) + ", but spec.data.train has " +
                                 std::to_string(in_epoch) + (in_epoch == 1 ? " record" : " records"));
  }
  FirstRecords first{input->read({.batch = 0, .lanes = {0, 1}}), in_epoch};
  const std::vector<data::Lost>& lost = first.batch.rows.lost;
  if (first.batch.rows.count == 0) {
    throw Error(Blame::user, "spec.data: none of the first " + data::counted(lost.size(), "record") +
                                 " can be used: " + data::text(lost.front().why));
  }
  return first;
}

}  // namespace carrack::train
