#include "services/replay/sealed_file.h"

#include "core/base/hash.h"

namespace oneagent {
namespace {

constexpr uint64_t kMagic = 0x59414c50'4552414fULL;  // "OAREPLAY"
constexpr uint32_t kVersion = 1;
constexpr size_t kHashBytes = 64;

Status refused(const fs::path& path, std::string_view reason) {
  return absl::FailedPreconditionError(str(path.string(), " is refused: ", reason));
}

}  // namespace

Bytes seal(const SealedFile& file) {
  ByteWriter out;
  out.put(kMagic);
  out.put(kVersion);
  out.put_text(file.kind);
  out.put_text(file.run);
  out.put_vector(file.content);
  Bytes bytes = out.take();
  const std::string hash = sha256(bytes);
  bytes.insert(bytes.end(), hash.begin(), hash.end());
  return bytes;
}

Result<Bytes> unseal(const fs::path& path, std::string_view kind, std::string_view run) {
  std::error_code error;
  if (!fs::exists(path, error)) return absl::NotFoundError(str(path.string(), " is not there"));
  const Bytes bytes = read_bytes(path);
  if (bytes.size() < sizeof(kMagic) + sizeof(kVersion) + kHashBytes)
    return refused(path, str("it has ", bytes.size(), " bytes, too few for a replay file"));
  const std::span<const uint8_t> sealed(bytes.data(), bytes.size() - kHashBytes);
  ByteReader in(sealed, path.filename().string());
  if (in.get<uint64_t>() != kMagic) return refused(path, "it is no replay file");
  if (const auto version = in.get<uint32_t>(); version != kVersion)
    return refused(path, str("its schema version is ", version, ", this build reads ", kVersion));
  const std::string_view hash(reinterpret_cast<const char*>(bytes.data()) + sealed.size(),
                              kHashBytes);
  if (sha256(sealed) != hash) return refused(path, "its hash is wrong: it is partial or damaged");
  if (const std::string found = in.get_text(); found != kind)
    return refused(path, str("it is a ", found, " file, expected ", kind));
  if (const std::string found = in.get_text(); found != run)
    return refused(path, str("it belongs to run \"", found, "\", this is run \"", run, "\""));
  Bytes content = in.get_vector<uint8_t>();
  in.finish();
  return content;
}

Status try_write(const fs::path& path, std::span<const uint8_t> bytes) {
  try {
    make_folder(path.parent_path());
    write_atomic(path, bytes);
    return ok();
  } catch (const Error& error) {
    return absl::ResourceExhaustedError(error.what());
  }
}

}  // namespace oneagent
