// The directory of a zip archive whose entries are stored without compression, as torch.save writes
// them (PKWARE APPNOTE 6.3.9, zip64 included).
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace oneagent::io {

// Entry name -> its bytes, a view into `bytes`. An Error names `what` and what is wrong.
std::map<std::string, std::string_view> read_zip(std::string_view bytes, const std::string& what);

}  // namespace oneagent::io
