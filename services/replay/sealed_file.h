// A file that says what it is: kind, schema version, run, and a hash over everything. What is
// foreign, partial or damaged is refused with the reason.
#pragma once

#include <string>
#include <string_view>

#include "core/base/file.h"
#include "core/base/result.h"

namespace oneagent {

struct SealedFile {
  std::string kind;  // "replay-state", "replay-epoch"
  std::string run;   // name of the run that it belongs to
  Bytes content;
};

Bytes seal(const SealedFile& file);
// FailedPrecondition with a sentence that names `path` when it is not a whole file of this kind,
// version and run. NotFound when it is not there.
Result<Bytes> unseal(const fs::path& path, std::string_view kind, std::string_view run);
// write_atomic into a folder that is made when missing, with a full disk as a status
// (ResourceExhausted).
Status try_write(const fs::path& path, std::span<const uint8_t> bytes);

}  // namespace oneagent
