// interop_records: our reading and writing of records, for a test against TensorFlow's.
//   read FILE                  prints each record in hexadecimal on a line, and damaged places
//   copy FROM TO COMPRESSION   writes the records of one file into another
#include <cstdio>
#include <string>
#include <string_view>

#include "dataloader/error.h"
#include "dataloader/records/record_reader.h"
#include "dataloader/records/record_writer.h"
#include "dataloader/records/wire.h"
#include "dataloader/storage/file/file_storage.h"
#include "tests/interop/printed.h"

namespace carrack::data {
namespace {

// Calls a function with each record of the file, and prints damaged places.
template <typename Use>
void read(Storage& storage, const std::string& url, const Use& use) {
  const auto stat = storage.stat(url);
  if (!stat) throw Error(url + ": there is no such file");
  const StoredObject file(storage, url, *stat);
  RecordReader reader(file);
  for (;;) {
    const auto next = reader.next();
    if (std::holds_alternative<EndOfFile>(next)) return;
    if (const Corrupt* corrupt = std::get_if<Corrupt>(&next)) std::printf("corrupt %s\n", text(*corrupt).c_str());
    if (const Records* chunk = std::get_if<Records>(&next))
      for (const Record& record : chunk->records) use(record.data);
  }
}

void copy(Storage& storage, const std::string& from, const std::string& to, Compression compression) {
  RecordWriter writer(storage.create(to, {}), compression);
  read(storage, from, [&](std::span<const std::byte> record) { writer.write(record); });
  writer.commit();
}

bool run(std::string_view what, std::span<char*> arguments) {
  FileStorage storage(0);
  if (what == "read" && arguments.size() == 1) {
    read(storage, arguments[0], [](auto record) { std::printf("%s\n", printed(wire::text_of(record)).c_str()); });
  } else if (what == "copy" && arguments.size() == 3) {
    copy(storage, arguments[0], arguments[1], compression_from(arguments[2]));
  } else {
    return false;
  }
  return true;
}

}  // namespace
}  // namespace carrack::data

int main(int argc, char** argv) {
  if (argc > 1 && carrack::data::run(argv[1], std::span(argv + 2, static_cast<std::size_t>(argc - 2)))) return 0;
  std::fputs("usage: interop_records read FILE | copy FROM TO COMPRESSION\n", stderr);
  return 2;
}
