// Any bytes as an array of numpy's, as the dictionary in the header of one, and as a file of several: values or faults,
// and the same values whether rows are read together or one by one.
#include <cstring>
#include <optional>

#include "dataloader/sources/memory_bytes.h"
#include "dataloader/sources/npy.h"
#include "dataloader/sources/npz.h"
#include "tests/fuzz/must.h"

namespace carrack::data {
namespace {

using fuzz::must;
using View = std::span<const std::byte>;

// Bit by bit: a NaN is itself too.
template <typename Value>
bool same(const LargeVector<Value>& left, const LargeVector<Value>& right) {
  return left.size() == right.size() &&
         (left.empty() || std::memcmp(left.data(), right.data(), left.size() * sizeof(Value)) == 0);
}

template <typename Value>
void check_values(const ArrayRows& array, Dtype dtype) {
  constexpr std::size_t most = 50;
  const std::size_t rows = std::min<std::uint64_t>(array.rows(), most);
  const auto together = array.read(0, rows, dtype);
  std::optional<Corrupt> fault;
  LargeVector<Value> values;
  for (std::size_t row = 0; row < rows && !fault; ++row) {
    const auto one = array.read(row, 1, dtype);
    if (const Corrupt* corrupt = std::get_if<Corrupt>(&one)) {
      fault = *corrupt;
      continue;
    }
    const auto& more = std::get<LargeVector<Value>>(std::get<Column>(one).values);
    must(more.size() == array.count(), "a row has so many values");
    values.insert(values.end(), more.begin(), more.end());
  }
  const Corrupt* corrupt = std::get_if<Corrupt>(&together);
  must(fault.has_value() == (corrupt != nullptr), "a row is a fault in any range");
  if (fault) must(*fault == *corrupt, "the first row that is a fault is told");
  if (!fault)
    must(same(values, std::get<LargeVector<Value>>(std::get<Column>(together).values)), "rows are as in any range");
}

void check(const std::variant<ArrayRows, Corrupt>& found) {
  if (const Corrupt* corrupt = std::get_if<Corrupt>(&found)) {
    must(!corrupt->message.empty(), "a fault says what is wrong");
    return;
  }
  const ArrayRows& array = std::get<ArrayRows>(found);
  check_values<float>(array, Dtype::float32);
  if (is_whole(array.type().number)) check_values<std::int64_t>(array, Dtype::int64);
}

void check_npz(View bytes) {
  const MemoryByteSource file("x.npz", bytes);
  const auto opened = Npz::open(file);
  const Npz* const archive = std::get_if<Npz>(&opened);
  if (archive == nullptr) return;
  for (const std::string& name : archive->names()) check(archive->array(name));
}

}  // namespace
}  // namespace carrack::data

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using namespace carrack::data;
  const auto bytes = std::as_bytes(std::span(data, size));
  check(open_npy(std::make_unique<MemoryByteSource>("x.npy", bytes)));
  check_npz(bytes);
  parse_npy_header({reinterpret_cast<const char*>(data), size});
  return 0;
}
