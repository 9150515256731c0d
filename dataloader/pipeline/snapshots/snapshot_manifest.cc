#include "dataloader/pipeline/snapshots/snapshot_manifest.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <optional>
#include <span>

#include "dataloader/crc32c.h"
#include "dataloader/order/random.h"

namespace carrack::data {
namespace {

constexpr std::string_view first_words = "carrack snapshot ";
constexpr std::size_t seal_size = std::string_view("crc32c 00000000\n").size();

std::string hex(std::uint64_t number, int digits) {
  char text[17];
  std::snprintf(text, sizeof text, "%0*llx", digits, static_cast<unsigned long long>(number));
  return text;
}

std::uint32_t checksum_of(std::string_view text) {
  return crc32c(std::as_bytes(std::span(text)), 0);
}

// Escapes a text so that it contains no space and no line break.
std::string escaped(std::string_view text) {
  std::string field;
  for (const char letter : text) {
    const bool is_plain = letter > ' ' && letter <= '~' && letter != '%';
    field += is_plain ? std::string(1, letter) : "%" + hex(static_cast<unsigned char>(letter), 2);
  }
  return field;
}

// Reads the fields of one line, one after the other. After a field that is not as expected, all_good() returns false.
// Some fields can be spelled in several ways, such as 7 and 07. parse_snapshot_manifest() refuses the unusual ones: it
// writes the manifest again and compares the texts.
class Fields {
 public:
  explicit Fields(std::string_view line) : left_(line) {}

  std::string_view next() {
    if (!left_) good_ = false;
    const std::string_view line = left_.value_or("");
    const std::size_t space = line.find(' ');
    left_ = space == std::string_view::npos ? std::nullopt : std::optional(line.substr(space + 1));
    return line.substr(0, space);
  }
  // Reads a text that escaped() has made.
  std::string text() {
    std::string text;
    for (std::string_view field = next(); !field.empty(); field.remove_prefix(1)) {
      text += field.front();
      if (field.front() != '%') continue;
      text.back() = static_cast<char>(number_in<std::uint8_t>(field.substr(1, 2), 16));
      field.remove_prefix(std::min<std::size_t>(2, field.size() - 1));
    }
    return text;
  }
  template <typename Number = std::uint64_t>
  Number number(int base = 10) {
    return number_in<Number>(next(), base);
  }
  // Reads the shape of an item, such as [2,3].
  std::vector<std::size_t> sides() {
    std::string_view field = next();
    good_ = good_ && field.starts_with('[') && field.ends_with(']');
    std::vector<std::size_t> sides;
    while (good_ && field.size() > 2) {
      const std::size_t end = std::min(field.find(',', 1), field.size() - 1);
      sides.push_back(number_in<std::size_t>(field.substr(1, end - 1), 10));
      field.remove_prefix(end);
    }
    return sides;
  }
  bool all_good() const { return good_ && !left_; }

 private:
  template <typename Number>
  Number number_in(std::string_view field, int base) {
    Number number = 0;
    const auto parsed = std::from_chars(field.data(), field.data() + field.size(), number, base);
    if (parsed.ec != std::errc() || parsed.ptr != field.data() + field.size()) good_ = false;
    return number;
  }

  std::optional<std::string_view> left_;
  bool good_ = true;
};

// Returns whether the files have enough bytes for the rows of the column. Without this check, a damaged manifest could
// make readers allocate any amount of memory. Lists may all be empty, and readers allocate no memory for an empty list,
// so their items may have any size.
bool can_hold(const SnapshotManifest& manifest, const ColumnType& column) {
  std::uint64_t bytes = 0, values = column.lists == 0 ? manifest.rows() : 1;
  for (const SnapshotShard& shard : manifest.shards) bytes += shard.inflated;
  for (const std::size_t side : column.item)
    if (__builtin_mul_overflow(values, side, &values) || values == 0) return false;
  return column.lists <= max_list_depth && (column.lists > 0 || values <= bytes);
}

// Returns the number that a manifest has for a fault. The format has no numbers for wrong_type and no_value, so they
// become bad_row, which is less precise.
std::uint64_t number_of(Fault fault) {
  const bool is_row = fault == Fault::wrong_type || fault == Fault::no_value;
  return static_cast<std::uint64_t>(is_row ? Fault::bad_row : fault);
}

// Reads a line of the manifest, one of those after the line "pipeline", into `into`. Returns false if it is not valid.
bool read_line(std::string_view line, SnapshotManifest& into) {
  Fields fields(line);
  const std::string_view key = fields.next();
  if (key == "source") {
    std::string name = fields.text();
    into.origin.sources.push_back({std::move(name), fields.text()});
  } else if (key == "column") {
    ColumnType& column = into.columns.emplace_back(ColumnType{fields.text()});
    const auto* kind = std::ranges::find(kind_names, fields.next());
    if (kind == std::end(kind_names)) return false;
    column.kind = static_cast<std::size_t>(kind - std::begin(kind_names));
    column.item = fields.sides();
    column.lists = fields.number<std::size_t>();
  } else if (key == "shard") {
    SnapshotShard& shard = into.shards.emplace_back();
    for (std::uint64_t* number : {&shard.rows, &shard.bytes, &shard.inflated}) *number = fields.number();
    shard.contents = fields.number<std::uint32_t>(16);
    shard.lost = fields.number();
  } else if (key == "lost") {
    Corrupt& lost = into.lost.emplace_back();
    lost.fault = static_cast<Fault>(fields.number<std::uint8_t>());
    lost.unit = fields.next() == "row" ? "row" : "record";
    lost.file = fields.text();
    for (std::uint64_t* number : {&lost.record, &lost.offset, &lost.lost}) *number = fields.number();
    lost.inflated = fields.number() != 0;
    lost.message = fields.text();
    if (lost.fault > Fault::bad_stream) return false;
  } else {
    return false;
  }
  return fields.all_good();
}

}  // namespace

std::string fingerprint_of(const SnapshotOrigin& origin) {
  return hex(Random(0, to_text(SnapshotManifest{origin})).bits(0, 0), 16);
}

std::string difference(const SnapshotOrigin& made_of, const SnapshotOrigin& wanted) {
  using Source = SnapshotOrigin::Source;
  if (made_of.version != wanted.version) return "it was made by another version of Carrack";
  if (made_of.pipeline != wanted.pipeline)
    return "it was made by \"" + made_of.pipeline + "\", and \"" + wanted.pipeline + "\" is asked for";
  for (const Source& source : made_of.sources) {
    const auto now = std::ranges::find(wanted.sources, source.name, &Source::name);
    if (now == wanted.sources.end()) return source.name + " is no longer there";
    if (now->version != source.version) return source.name + " has changed";
  }
  for (const Source& source : wanted.sources)
    if (std::ranges::find(made_of.sources, source.name, &Source::name) == made_of.sources.end())
      return source.name + " is new";
  return "its sources come in another order";
}

std::uint64_t SnapshotManifest::rows() const {
  std::uint64_t all = 0;
  for (const SnapshotShard& shard : shards) all += shard.rows;
  return all;
}

std::uint64_t SnapshotManifest::lost_rows() const {
  std::uint64_t all = 0;
  for (const SnapshotShard& shard : shards) all += shard.lost;
  return all;
}

std::string to_text(const SnapshotManifest& manifest) {
  std::string text = std::string(first_words) + std::to_string(manifest.origin.version);
  const auto line = [&](std::initializer_list<std::string> fields) {
    text += '\n';
    for (const std::string& field : fields) text += (text.back() == '\n' ? "" : " ") + field;
  };
  const auto number = [](std::uint64_t value) { return std::to_string(value); };
  line({"pipeline", escaped(manifest.origin.pipeline)});
  for (const auto& [name, version] : manifest.origin.sources) line({"source", escaped(name), escaped(version)});
  for (const ColumnType& column : manifest.columns)
    line({"column", escaped(column.name), kind_names[column.kind], shape_text(column.item), number(column.lists)});
  for (const SnapshotShard& shard : manifest.shards)
    line({"shard", number(shard.rows), number(shard.bytes), number(shard.inflated), hex(shard.contents, 8),
          number(shard.lost)});
  for (const Corrupt& lost : manifest.lost)
    line({"lost", number(number_of(lost.fault)), std::string(lost.unit), escaped(lost.file), number(lost.record),
          number(lost.offset), number(lost.lost), number(lost.inflated ? 1 : 0), escaped(lost.message)});
  text += '\n';
  return text + "crc32c " + hex(checksum_of(text), 8) + "\n";
}

std::variant<SnapshotManifest, std::string> parse_snapshot_manifest(std::string_view text) {
  const std::string_view beginning = text.substr(0, text.find('\n'));
  if (!beginning.starts_with(first_words)) return "it is not a manifest of a snapshot";
  const std::string_view version = beginning.substr(first_words.size());
  if (version != "1" && version != "2")
    return "it is of version " + escaped(version) + ", and versions 1 and 2 are known here";
  if (text.size() < seal_size) return "it ends too early";
  const std::string_view sealed = text.substr(0, text.size() - seal_size);
  if (text.substr(sealed.size()) != "crc32c " + hex(checksum_of(sealed), 8) + "\n")
    return "it does not match its checksum";
  SnapshotManifest manifest;
  manifest.origin.version = version == "1" ? 1 : 2;
  std::string_view left = sealed;
  for (std::size_t number = 1; !left.empty(); ++number) {
    const std::size_t end = std::min(left.find('\n'), left.size());
    const std::string_view line = left.substr(0, end);
    left.remove_prefix(std::min(end + 1, left.size()));
    bool good = true;
    if (number == 2) {
      Fields fields(line);
      good = fields.next() == "pipeline";
      manifest.origin.pipeline = fields.text();
      good = good && fields.all_good();
    } else if (number > 2) {
      good = read_line(line, manifest);
    }
    if (!good) return "line " + std::to_string(number) + " does not belong in a manifest";
  }
  for (const ColumnType& column : manifest.columns)
    if (!can_hold(manifest, column)) return "column \"" + column.name + "\" is not one that its files can hold";
  if (manifest.lost.size() != std::min<std::uint64_t>(manifest.lost_rows(), SnapshotManifest::lost_max))
    return "it tells of " + std::to_string(manifest.lost.size()) + " lost rows, and its files lack " +
           std::to_string(manifest.lost_rows());
  if (to_text(manifest) != text) return "its lines are in another order, or spelled otherwise";
  return manifest;
}

}  // namespace carrack::data
