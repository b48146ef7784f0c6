#include "reports/model/text.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>

namespace plumbline::reports {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

std::string_view word_of(double value) {
  if (std::isnan(value)) return "nan";
  return value < 0 ? "-inf" : "inf";
}

bool continues(std::string_view text, std::size_t at) {
  return at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U;
}

/// Bytes of the well-formed UTF-8 character at `at`, or 0. Table 3-7 of the Unicode Standard.
std::size_t character_length(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned lead = byte(at);
  if (lead < 0x80) return 1;
  std::size_t length = 0;
  if (lead >= 0xC2 && lead <= 0xDF) length = 2;
  if (lead >= 0xE0 && lead <= 0xEF) length = 3;
  if (lead >= 0xF0 && lead <= 0xF4) length = 4;
  for (std::size_t i = 1; i < length; ++i) {
    if (!continues(text, at + i)) return 0;
  }
  if (length < 3) return length;
  const unsigned next = byte(at + 1);
  const bool overlong = (lead == 0xE0 && next < 0xA0) || (lead == 0xF0 && next < 0x90);
  const bool outside = (lead == 0xED && next > 0x9F) || (lead == 0xF4 && next > 0x8F);
  return overlong || outside ? 0 : length;
}

std::string with_digits(double value, int digits) {
  if (!std::isfinite(value)) return std::string(word_of(value));
  std::array<char, 32> text{};
  const int length = std::snprintf(text.data(), text.size(), "%.*g", digits, value);
  return {text.data(), static_cast<std::size_t>(length)};
}

std::string_view xml_entity(char c) {
  switch (c) {
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    case '"':
      return "&quot;";
    case '\n':
      return "&#10;";
    case '\t':
      return "&#9;";
    default:
      return static_cast<unsigned char>(c) < 0x20 ? kReplacement : std::string_view();
  }
}

}  // namespace

std::string exact(double value) {
  if (!std::isfinite(value)) return std::string(word_of(value));
  std::array<char, 32> text{};
  const auto result = std::to_chars(text.data(), text.data() + text.size(), value);
  return {text.data(), result.ptr};
}

std::string brief(double value) { return with_digits(value, 3); }

std::string margin_text(double margin) {
  std::string text = brief(margin);
  for (int digits = 4; text == "1" && margin != 1.0 && digits <= 17; ++digits) {
    text = with_digits(margin, digits);
  }
  return text;
}

std::string nine_digits(double value) { return with_digits(value, 9); }

std::string grouped(std::int64_t count) {
  std::string text = std::to_string(count);
  const std::size_t first = count < 0 ? 1 : 0;
  for (std::size_t at = text.size(); at > first + 3;) {
    at -= 3;
    text.insert(at, 1, ',');
  }
  return text;
}

std::string csv_field(std::string_view text) {
  std::string field;
  bool quoted = !text.empty() && (text.front() == ' ' || text.back() == ' ');
  for (const char c : utf8_text(text)) {
    const bool control = static_cast<unsigned char>(c) < 0x20 || c == 0x7F;
    quoted = quoted || c == ',' || c == '"' || control;
    if (c == '"') field += '"';
    field += control ? ' ' : c;
  }
  return quoted ? '"' + field + '"' : field;
}

std::string utf8_text(std::string_view text) {
  std::string clean;
  clean.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = character_length(text, at);
    clean += length == 0 ? kReplacement : text.substr(at, length);
    at += length == 0 ? 1 : length;
  }
  return clean;
}

std::string xml_text(std::string_view text) {
  std::string escaped;
  const std::string clean = utf8_text(text);
  for (std::size_t at = 0; at < clean.size(); ++at) {
    const std::string_view rest = std::string_view(clean).substr(at);
    if (rest.starts_with("\xEF\xBF\xBE") || rest.starts_with("\xEF\xBF\xBF")) {
      escaped += kReplacement;
      at += 2;
      continue;
    }
    const std::string_view entity = xml_entity(clean[at]);
    if (entity.empty()) {
      escaped += clean[at];
    } else {
      escaped += entity;
    }
  }
  return escaped;
}

}  // namespace plumbline::reports
