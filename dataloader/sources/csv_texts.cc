#include "dataloader/sources/csv_texts.h"

namespace carrack::data {

std::string_view undoubled(std::span<char> text) {
  std::size_t size = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    text[size++] = text[i];
    if (text[i] == '"') ++i;
  }
  return {text.data(), size};
}

std::string csv_text(std::string_view field) {
  if (!is_quoted(field)) return std::string(field);
  std::string text(between_quotes(field));
  text.resize(undoubled(text).size());
  return text;
}

std::string shown(std::string_view text) {
  constexpr std::size_t most = 40;
  std::string made = "\"";
  for (const char c : text.substr(0, most)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte != 0x7f) {
      made += c;
    } else {
      made += "\\x";
      made += "0123456789abcdef"[byte >> 4];
      made += "0123456789abcdef"[byte & 15];
    }
  }
  return made + (text.size() > most ? "..." : "") + "\"";
}

std::string counted(std::size_t count, const std::string& what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

std::string listed(std::span<const std::string> names) {
  constexpr std::size_t most = 10;
  std::string made = "there are ";
  for (std::size_t i = 0; i < names.size() && i < most; ++i) {
    const bool is_last = i + 1 == names.size();
    made += (i == 0 ? "" : is_last ? " and " : ", ") + shown(names[i]);
  }
  return made + (names.size() > most ? " and " + std::to_string(names.size() - most) + " more" : "");
}

const char* words_for(MisquotedRow::Fault fault) {
  switch (fault) {
    case MisquotedRow::Fault::quote_within:
      return ": a quote stands within a field that does not begin with one; quote the field, and write the quote twice";
    case MisquotedRow::Fault::text_behind:
      return ": text stands behind the quote that ends the field; a quote within a field is written twice";
    case MisquotedRow::Fault::not_closed:
      return ": the file ends before the field's quotes are closed";
  }
  return "";
}

}  // namespace carrack::data
