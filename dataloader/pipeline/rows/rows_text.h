// Rows as bytes and back: what a buffer's state and a cache on disk hold. Any bytes give rows or an Error.
#pragma once

#include <string>
#include <string_view>

#include "dataloader/pipeline/rows/rows.h"

namespace carrack::data {

std::string text_of(const Rows& rows);
Rows rows_from(std::string_view text);

}  // namespace carrack::data
