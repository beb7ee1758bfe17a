// Modules print as libtorch prints them.
#include <gtest/gtest.h>

#include <sstream>

#include "core/nn/nn.h"
#include "tests/support/golden_nn.h"

namespace oneagent {
namespace {

namespace torch = oneagent;

TEST(Printing, IsLibtorchs) {
  using namespace nn;  // NOLINT: as in the program that made the golden text
  std::ostringstream out;
  constexpr std::nullopt_t oa_none = std::nullopt;
#define SHOW(...) out << (__VA_ARGS__) << '\n'
#include "tests/golden/printed_modules.inc"
#undef SHOW
  std::istringstream actual(out.str()),
      expected(read_text(fs::path(OA_GOLDEN) / "printed_modules.txt"));
  for (std::string mine, theirs; std::getline(expected, theirs);) {
    std::getline(actual, mine);
    ASSERT_EQ(mine, theirs);
  }
}

}  // namespace
}  // namespace oneagent
