#include "core/io/ivalue.h"

#include <cmath>

namespace oneagent {
namespace {

template <class List, class Print>
void print_list(std::ostream& out, const List& list, const char* ends, const Print& print) {
  out << ends[0];
  bool first = true;
  for (const auto& entry : list) {
    if (!first) out << ", ";
    first = false;
    print(entry);
  }
  out << ends[1];
}

void print_number(std::ostream& out, double value) {
  out << value;
  if (std::floor(value) == value && std::abs(value) < 1e10) out << '.';
}

}  // namespace

// As libtorch prints it: "1." is a floating number, "True" a bool.
std::ostream& operator<<(std::ostream& out, const IValue& value) {
  const auto plain = [&](const auto& entry) { out << entry; };
  const auto truth = [&](bool entry) { out << (entry ? "True" : "False"); };
  const auto number = [&](double entry) { print_number(out, entry); };
  if (value.isNone()) return out << "None";
  if (value.isBool()) return truth(value.toBool()), out;
  if (value.isInt()) return out << value.toInt();
  if (value.isDouble()) return number(value.toDouble()), out;
  if (value.isString()) return out << value.toStringRef();
  if (value.isTensor()) return out << value.toTensor();
  if (value.isIntList()) return print_list(out, value.toIntVector(), "[]", plain), out;
  if (value.isDoubleList()) return print_list(out, value.toDoubleVector(), "[]", number), out;
  if (value.isBoolList())
    return print_list(out, value.get<std::vector<bool>>("list of bools"), "[]", truth), out;
  if (value.isTensorList()) return print_list(out, value.toTensorVector(), "[]", plain), out;
  if (value.isTuple()) return print_list(out, value.toListRef(), "()", plain), out;
  if (value.isGenericDict())
    return print_list(out, value.entries(), "{}",
                      [&](const auto& entry) { out << entry.first << ": " << entry.second; }),
           out;
  if (value.isDevice()) return out << value.toDevice();
  return print_list(out, value.get<std::vector<std::string>>("list of texts"), "[]", plain), out;
}

bool operator<(const IValue& a, const IValue& b) {
  if (a.value_.index() != b.value_.index()) return a.value_.index() < b.value_.index();
  if (a.isString()) return a.toStringRef() < b.toStringRef();
  if (a.isInt()) return a.toInt() < b.toInt();
  if (a.isDouble()) return a.toDouble() < b.toDouble();
  if (a.isBool()) return a.toBool() < b.toBool();
  throw_error(str("IValue: a ", a.tagKind(), " cannot be a key"));
}

}  // namespace oneagent
