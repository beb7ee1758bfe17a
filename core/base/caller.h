// The line of the user's program that led here, for errors that arise far below it.
#pragma once

#include <string>

namespace oneagent {

// "model.cc:42 (Net::forward)": the innermost frame outside this library and the standard one; the
// line needs a program built with -g, else only the function is named. Empty where nothing is
// known. Slow (it reads debug information): for errors only.
std::string calling_line();

}  // namespace oneagent
