#include "dataloader/sources/npz.h"

#include <utility>

#include "dataloader/error.h"
#include "dataloader/sources/npy.h"
#include "dataloader/sources/zip_member.h"

namespace carrack::data {
namespace {

constexpr std::string_view ending = ".npy";

}  // namespace

std::variant<Npz, Corrupt> Npz::open(const ByteSource& file) {
  auto members = read_zip_directory(file);
  if (Corrupt* corrupt = std::get_if<Corrupt>(&members)) return std::move(*corrupt);
  Npz found(file);
  for (ZipMember& member : std::get<0>(members)) {
    if (!member.name.ends_with(ending)) continue;
    const std::string name = member.name.substr(0, member.name.size() - ending.size());
    if (!found.arrays_.emplace(name, std::move(member)).second)
      return Corrupt{
          Fault::wrong_kind, file.name(), 0, 0, file.stat().size, "array \"" + name + "\" occurs twice", false, "row"};
  }
  return found;
}

std::vector<std::string> Npz::names() const {
  std::vector<std::string> names;
  for (const auto& [name, member] : arrays_) names.push_back(name);
  return names;
}

std::uint64_t Npz::inflated_bytes() const {
  std::uint64_t bytes = 0;
  for (const auto& [name, member] : arrays_) bytes += member.method == ZipMember::deflated ? member.size_bytes : 0;
  return bytes;
}

std::variant<ArrayRows, Corrupt> Npz::array(const std::string& name) const {
  const auto found = arrays_.find(name);
  if (found == arrays_.end()) throw Error(file_->name() + ": there is no array \"" + name + "\"");
  auto source = open_zip_member(*file_, found->second);
  if (Corrupt* corrupt = std::get_if<Corrupt>(&source)) return std::move(*corrupt);
  return open_npy(std::get<0>(std::move(source)));
}

}  // namespace carrack::data
