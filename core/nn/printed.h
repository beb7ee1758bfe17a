// How a module says what it is: Printed(out, "ELU").with("alpha", 1.0) writes
// torch::nn::ELU(alpha=1). For the .cc files of core/nn. Like libtorch's, modules that say
// something true or false leave the stream with std::boolalpha.
#pragma once

#include <ostream>
#include <sstream>
#include <string>

namespace oneagent::nn {

class Printed {
 public:
  Printed(std::ostream& out, const std::string& name) : out_(out) {
    for (const char* always : {"LeakyReLU", "Hardtanh", "LocalResponseNorm", "CrossMapLRN2d"})
      if (name == always) out << std::boolalpha;
    out << "torch::nn::" << name << '(';
  }
  ~Printed() { out_ << ')'; }
  Printed(const Printed&) = delete;
  Printed& operator=(const Printed&) = delete;

  template <class T>
  Printed& value(const T& value) {
    std::ostringstream text;  // with a stream's usual format, whatever `out_` is set to
    text << std::boolalpha << value;
    out_ << (first_ ? "" : ", ") << text.str();
    first_ = false;
    return *this;
  }
  template <class T>
  Printed& with(const char* name, const T& is) {
    if (std::is_same_v<T, bool>) out_ << std::boolalpha;
    std::ostringstream text;
    text << std::boolalpha << name << '=' << is;
    return value(text.str());
  }
  template <class T>
  Printed& with_if(bool shown, const char* name, const T& is) {
    return shown ? with(name, is) : *this;
  }

 private:
  std::ostream& out_;
  bool first_ = true;
};

}  // namespace oneagent::nn
