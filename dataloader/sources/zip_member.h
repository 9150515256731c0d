// Opens the content of one file in a ZIP archive, for .npz files. read_zip_directory() lists the files.
#pragma once

#include <memory>
#include <variant>

#include "dataloader/records/byte_source.h"
#include "dataloader/records/corrupt.h"
#include "dataloader/sources/zip_directory.h"

namespace carrack::data {

// Returns the unpacked content as a source. Reads the whole member once to verify its checksum. The source of a stored
// member reads from `archive`, which must outlive it. A deflated member is inflated into memory, never to more bytes
// than the directory says. Returns Corrupt if the member is damaged, encrypted, or neither stored nor deflated, or the
// archive has changed. Throws Error if there is not enough memory, or the storage fails.
std::variant<std::unique_ptr<const ByteSource>, Corrupt> open_zip_member(const ByteSource& archive,
                                                                         const ZipMember& member);

}  // namespace carrack::data
