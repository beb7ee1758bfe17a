// Zip archives whose entries are stored without compression, as torch.save writes
// them (PKWARE APPNOTE 6.3.9, zip64 included).
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace oneagent::io {

// Entry name -> its bytes, a view into `bytes`. An Error names `what` and what is wrong.
std::map<std::string, std::string_view> read_zip(std::string_view bytes, const std::string& what);

// An archive of these entries (name, bytes), each at a multiple of 64 bytes. Error: 4 GiB or more.
std::string write_zip(const std::vector<std::pair<std::string, std::string>>& entries);

}  // namespace oneagent::io
