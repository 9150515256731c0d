#include "dataloader/records/example_map.h"

#include <algorithm>
#include <cstring>

#include "dataloader/records/little_endian.h"
#include "dataloader/records/map_entry.h"
#include "dataloader/records/wire.h"

namespace carrack::data {

std::size_t ExampleMap::request(const std::string& name, std::uint32_t kind) {
  const auto known = numbers_.find(name);
  if (known != numbers_.end()) return known_[known->second].place.value();
  found_.emplace_back();
  learn(name, found_.size() - 1, kind);
  return found_.size() - 1;
}

void ExampleMap::begin_record() {
  last_ = start;
  std::fill(found_.begin(), found_.end(), Found());
}

const std::byte* ExampleMap::read(View message) {
  for (;;) {
    take_expected(message);
    const std::byte* at = message.data();
    wire::Reader entries(message);
    const std::optional<wire::Field> field = entries.next();
    if (!field) return entries.malformed() ? at : nullptr;
    message = entries.left();
    if (field->id != 1) continue;
    if (field->type != wire::Type::delimited) return at;
    const MapEntry entry = map_entry_in(field->bytes);
    if (entry.malformed != nullptr) return entry.malformed;
    take(entry.name, entry.value);
  }
}

// The fast path of read(). Removes entries from the front of the message and stores their values, as long as each entry
// is as expected: it has the name that followed the previous entry in an earlier record, and the usual encoding.
void ExampleMap::take_expected(View& message) {
  std::size_t last = last_;
  View left = message;
  for (std::size_t size = 1; size > 0; left = left.subspan(size)) {
    const std::size_t expected = known_[last].next;
    size = size_if_usual(left, known_[expected]);
    if (size > 0) last = expected;
  }
  last_ = last;
  message = left;
}

// Takes the first entry and returns its size if it has the name of `known` and the usual encoding: the name, then the
// value, and nothing else, in less than 128 bytes. Every length is then one byte. Returns 0 otherwise.
inline std::size_t ExampleMap::size_if_usual(View message, const Known& known) {
  const std::byte* const at = message.data();
  const auto byte = [at](std::size_t i) { return std::to_integer<std::size_t>(at[i]); };
  // An entry begins with 0x0a, the tag of field 1 of a map, and its length.
  if (message.size() < 2 + head_most || known.head_size == 0 || byte(0) != 0x0a) return 0;
  const auto differs = [&](std::size_t word) {
    return (number_at<std::uint64_t>(at + 2 + 8 * word) ^ known.head[word]) & known.mask[word];
  };
  if ((differs(0) | differs(1)) != 0) return 0;
  const std::size_t end = 2 + byte(1), value_at = 2 + known.head_size + 1, value_size = byte(value_at - 1);
  if (end >= 2 + 0x80 || end > message.size() || value_at + value_size != end) return 0;
  if (!known.place || (value_size == 0 && !keeps_empty_)) return end;
  Found& found = found_[*known.place];
  found.value = View(at + value_at, value_size);
  // Found::only can be used if the value is a list of the expected kind, with a single field, and all lengths take one
  // byte.
  const bool is_only = value_size >= 4 && at[value_at] == known.list_tag && byte(value_at + 1) + 2 == value_size &&
                       byte(value_at + 2) == 0x0a && byte(value_at + 3) + 4 == value_size;
  found.only = is_only ? View(at + value_at + 4, value_size - 4) : View();
  return end;
}

// Stores the value of an entry if its name is requested. Remembers that the entry follows the previous one, which
// take_expected() uses in the next record.
void ExampleMap::take(std::string_view name, View value) {
  constexpr std::size_t known_max = 4096;  // limits the memory for names if each record has other names
  const auto found = numbers_.find(name);
  if (found == numbers_.end() && known_.size() >= known_max) return;
  const std::size_t number = found == numbers_.end() ? learn(name, std::nullopt, 0) : found->second;
  known_[last_].next = number;
  last_ = number;
  if (known_[number].place && (keeps_empty_ || !value.empty())) found_[*known_[number].place] = {value, {}};
}

// Adds a name to known_, with the bytes by which size_if_usual() recognizes its entries, and returns its index.
std::size_t ExampleMap::learn(std::string_view name, std::optional<std::size_t> place, std::uint32_t kind) {
  Known known{.name = std::string(name), .place = place, .list_tag = static_cast<std::byte>(kind << 3 | 2)};
  std::vector<std::byte> head;
  wire::append_delimited(head, 1, wire::bytes_of(name));
  wire::append_tag(head, 2, wire::Type::delimited);
  if (head.size() <= head_most) {
    known.head_size = head.size();
    std::memcpy(known.head.data(), head.data(), head.size());
    std::memset(known.mask.data(), 0xff, head.size());
  }
  known_.push_back(std::move(known));
  numbers_.emplace(name, known_.size() - 1);
  return known_.size() - 1;
}

}  // namespace carrack::data
