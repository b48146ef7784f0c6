#pragma once
#include <cstdint>
#include <string>
#include <string_view>

/// How numbers and hostile text are written into each kind of file.
namespace plumbline::reports {

/// The shortest decimal that reads back as the same double; "nan", "inf", "-inf".
std::string exact(double value);
/// Three significant digits, for people: "0.413", "1.2e-05"; "nan", "inf".
std::string brief(double value);
/// A margin for people: as `brief`, with as many digits more as keep it on its side of the limit 1.
std::string margin_text(double margin);
/// Nine significant digits, which tell any two floats apart.
std::string nine_digits(double value);
/// A count with thousands set apart: "12,345".
std::string grouped(std::int64_t count);

/// One CSV field: quoted where it holds a comma, quote or blank at an end. Line breaks and other
/// control characters become spaces, so that a record is one line for every reader.
std::string csv_field(std::string_view text);

/// Text for XML 1.0 content or attributes: markup escaped, what XML cannot hold (control
/// characters, bytes that are not UTF-8, surrogates) replaced by U+FFFD.
std::string xml_text(std::string_view text);

/// The text with every byte that is not part of well-formed UTF-8 replaced by U+FFFD.
std::string utf8_text(std::string_view text);

}  // namespace plumbline::reports
