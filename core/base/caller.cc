#include "core/base/caller.h"

#include <backtrace.h>
#include <cxxabi.h>
#include <dlfcn.h>

#include <cstdlib>
#include <string_view>

#include "core/base/text.h"

namespace oneagent {
namespace {

struct Search {
  const void* own_module = nullptr;
  std::string line;      // with file and number
  std::string function;  // where no line is known
};

std::string demangled(const char* name) {
  int status = 0;
  char* text = abi::__cxa_demangle(name, nullptr, nullptr, &status);
  std::string out = status == 0 ? text : name;
  std::free(text);
  return out.substr(0, out.find('('));
}

// Templates and inline functions of our headers are compiled into the user's program.
bool is_ours(std::string_view function, std::string_view file) {
  return function.starts_with("oneagent::") || function.starts_with("std::") ||
         function.find("__gnu_cxx") != std::string_view::npos ||
         file.find("/include/oneagent/") != std::string_view::npos ||
         file.find("/include/c++/") != std::string_view::npos;
}

int visit(void* data, uintptr_t pc, const char* file, int line, const char* function) {
  auto& search = *static_cast<Search*>(data);
  Dl_info module{};
  if (dladdr(reinterpret_cast<void*>(pc), &module) == 0) return 0;
  if (module.dli_fbase == search.own_module && file == nullptr) return 0;
  const std::string_view from = module.dli_fname == nullptr ? "" : module.dli_fname;
  if (from.find("/libc.so") != std::string_view::npos ||
      from.find("/libstdc++.so") != std::string_view::npos)
    return 0;
  if (function == nullptr) function = module.dli_sname;
  const std::string name = function == nullptr ? "" : demangled(function);
  if (is_ours(name, file == nullptr ? "" : file) || name.starts_with("__libc_start")) return 0;
  if (file == nullptr) {
    if (search.function.empty() && module.dli_fbase != search.own_module) search.function = name;
    return 0;
  }
  const std::string_view path = file;
  search.line =
      str(path.substr(path.rfind('/') + 1), ":", line, name.empty() ? "" : str(" (", name, ")"));
  return 1;
}

void ignore(void*, const char*, int) {}

}  // namespace

std::string calling_line() {
  static backtrace_state* const state = backtrace_create_state(nullptr, 1, ignore, nullptr);
  Search search;
  Dl_info own{};
  if (dladdr(reinterpret_cast<void*>(&calling_line), &own) != 0) search.own_module = own.dli_fbase;
  if (state != nullptr) backtrace_full(state, 1, visit, ignore, &search);
  return search.line.empty() ? search.function : search.line;
}

}  // namespace oneagent
