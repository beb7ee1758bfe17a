// Reading and writing what Python's torch.save writes: a zip archive with a pickle of the object
// and one file per storage. Only data is read: dictionaries, lists, tuples, numbers, text and
// tensors; any other class is refused by name, and nothing is ever called.
#pragma once

#include <string>
#include <string_view>

#include "core/io/ivalue.h"

namespace oneagent::io {

bool is_zip(std::string_view bytes);

// The saved object; `what` names the source in errors. Dictionaries have text keys (numbers become
// text). Objects of a saved TorchScript module become dictionaries of their attributes.
IValue read_pt(std::string_view bytes, const std::string& what);

// The same kind of file of a value: Python's torch.load and read_pt() read it. Tensors are stored
// contiguously. Error: a sparse tensor, or 4 GiB and more.
std::string write_pt(const IValue& value);

}  // namespace oneagent::io
