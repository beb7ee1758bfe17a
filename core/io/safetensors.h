// The safetensors format (huggingface/safetensors, format description in its README): 8 bytes header length, a JSON header {name: {dtype, shape, data_offsets}}, then the
// bytes. Reads and writes named arrays; never runs code.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "core/base/bytes.h"
#include "core/data/array_set.h"

namespace oneagent {

// Arrays in the set's order, each at a multiple of 64 bytes; `metadata` goes into "__metadata__".
Bytes write_safetensors(const ring::ArraySet& arrays, const std::map<std::string, std::string>& metadata = {});

// Arrays ordered by their offsets. Types F64 F32 I64 I32 U8 BOOL. Error names `what` and the reason: truncated, header longer than the file or 100 MB, not JSON, unknown type, offsets that
// overlap, leave the file or disagree with the shape.
ring::ArraySet read_safetensors(const Bytes& bytes, std::string_view what);
std::map<std::string, std::string> read_safetensors_metadata(const Bytes& bytes, std::string_view what);

}  // namespace oneagent
