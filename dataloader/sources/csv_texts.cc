#include "dataloader/sources/csv_texts.h"

#include "dataloader/text.h"

namespace carrack::data {

std::string_view unescape_quotes(std::span<char> text) {
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
  text.resize(unescape_quotes(text).size());
  return text;
}

std::string list_names(std::span<const std::string> names) {
  constexpr std::size_t names_max = 10;
  std::string list = "there are ";
  for (std::size_t i = 0; i < names.size() && i < names_max; ++i) {
    const bool is_last = i + 1 == names.size();
    list += (i == 0 ? "" : is_last ? " and " : ", ") + excerpt(names[i]);
  }
  return list + (names.size() > names_max ? " and " + std::to_string(names.size() - names_max) + " more" : "");
}

const char* misquoting_text(MisquotedRow::Fault fault) {
  switch (fault) {
    case MisquotedRow::Fault::quote_within:
      return ": a field that does not begin with a quote has one in it; quote the field, and write the quote twice";
    case MisquotedRow::Fault::text_after_quote:
      return ": text follows the quote that ends the field; a quote within a field is written twice";
    case MisquotedRow::Fault::not_closed:
      return ": the file ends before the field's quotes are closed";
  }
  return "";
}

}  // namespace carrack::data
