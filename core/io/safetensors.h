// The safetensors format (huggingface/safetensors, its README): 8 bytes little-endian header
// length, a JSON header
// {"name": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}, "__metadata__": {"key":
// "text"}}, then the data without gaps. Reading is strict: a truncated file, a bad header, an
// unknown dtype, overlapping or missing bytes, a name that comes twice: one Error that names the
// source and the reason. F64 F32 BF16 F16 I64 I32 I16 I8 U8 BOOL are served.
#pragma once

#include <map>
#include <memory>

#include "core/base/file.h"
#include "core/data/array_set.h"

namespace oneagent::io {

using Metadata = std::map<std::string, std::string>;

struct SafeTensors {
  ring::ArraySet arrays;  // in the order of their data
  Metadata metadata;
};

Bytes write_safetensors(const ring::ArraySet& arrays, const Metadata& metadata = {});
// Arrays share `bytes`. `what` names the source in errors.
SafeTensors parse_safetensors(std::shared_ptr<const Bytes> bytes, const std::string& what);

void save_safetensors(const fs::path& path, const ring::ArraySet& arrays,
                      const Metadata& metadata = {});  // atomic
SafeTensors load_safetensors(const fs::path& path);

}  // namespace oneagent::io
