#include "dataloader/records/map_entry.h"

#include <optional>

namespace carrack::data {

MapEntry map_entry_in(wire::View message) {
  MapEntry entry{"", message.last(0)};
  wire::Reader fields(message);
  for (;;) {
    const std::byte* at = fields.left().data();
    const std::optional<wire::Field> field = fields.next();
    if (field && field->id > 2) continue;
    if (field ? field->type != wire::Type::delimited : fields.malformed()) entry.malformed = at;
    if (!field || entry.malformed != nullptr) return entry;
    if (field->id == 1) entry.name = wire::text_of(field->bytes);
    if (field->id == 2) entry.value = field->bytes;
  }
}

}  // namespace carrack::data
