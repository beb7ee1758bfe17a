#!/usr/bin/env bash
# Installs what was built to an empty prefix; a project of its own finds the package, builds and runs.
# usage: package_test.sh BUILD_FOLDER CMAKE
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$2" --install "$1" --prefix "$folder/prefix" > "$folder/install.log"
mkdir "$folder/project"
cat > "$folder/project/CMakeLists.txt" <<'EOF'
cmake_minimum_required(VERSION 3.18)
project(example CXX)
find_package(OneAgent REQUIRED)
add_executable(example example.cc)
target_link_libraries(example "${ONEAGENT_LIBRARIES}")
EOF
cat > "$folder/project/example.cc" <<'EOF'
#include <oneagent/torch.h>

int main() {
  torch::Tensor x = torch::ones({2, 3}, torch::requires_grad());
  (x * x).sum().backward();
  std::cout << x.grad() << std::endl;
  return torch::equal(x.grad(), torch::full({2, 3}, 2.0)) ? 0 : 1;
}
EOF
"$2" -S "$folder/project" -B "$folder/project/build" -DCMAKE_PREFIX_PATH="$folder/prefix" > "$folder/configure.log"
"$2" --build "$folder/project/build" > "$folder/build.log" || { cat "$folder/build.log"; exit 1; }
"$folder/project/build/example"
