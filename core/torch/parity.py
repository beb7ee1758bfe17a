#!/usr/bin/env python3
"""Compares the interface with libtorch's headers: writes docs/torch-parity.md.

usage: parity.py SOURCE_FOLDER GENERATED_FOLDER LIBTORCH_INCLUDE PUBLIC_INCLUDE OUTPUT
Functions and methods are compared overload by overload (name and parameter types); the names of torch::nn, nn::functional, optim, data, linalg,
special and fft by a compiler that includes <oneagent/torch.h> from PUBLIC_INCLUDE. Internal names (a leading underscore), complex, sparse, quantised, named, nested and other back ends' functions stand apart.
"""
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "ops"))
import methods  # noqa: E402

ELSEWHERE = re.compile(r"^_|sparse|quant|cudnn|miopen|mkldnn|mps_|xnnpack|nested|named|refine_names|rename|align_|vulkan|fbgemm|complex|"
                       r"^(real|imag|conj|resolve_|is_conj|is_neg|view_as_real|polar|to_padded|coalesce|indices|values|crow_|col_|ccol_|row_|"
                       r"segment_reduce|q_|int_repr|dequantize|fake_|choose_q|fused_moving|hspmm|smm|sspaddmm|retain_|record_stream|"
                       r"is_set_to|set_|from_file|lift|.*_copy$|.*_backward|.*_jvp$|.*_jacobian_|.*_double_|thnn_|cufft|stft|istft|"
                       r"rrelu_with_noise|mkl|slow_conv|max_pool2d_with_indices_|special_.*bessel.*|special_.*polynomial.*|special_airy.*|"
                       r"special_spherical.*|names|is_leaf|output_nr|requires_grad|data$|version|"
                       r"batch_norm_(elemt|gather|stats|update)|convolution_overrideable|conv_depthwise3d|is_distributed|native_norm|chalf|qscheme|"
                       r"expect_contiguous|FullDataLoaderOptions|IteratorImpl|BatchDataBuffer|SentinelIterator|ValidIterator|is_optional)")
INNER = re.compile(r"^(FullDataLoaderOptions|IteratorImpl|BatchDataBuffer|SentinelIterator|ValidIterator|is_optional)$")

TYPES = [
    (r"\bat::", ""), (r"\bc10::optional<", "std::optional<"), (r"\bc10::string_view\b", "std::string_view"), (r"\bc10::", ""),
    (r"\bOptionalIntArrayRef\b", "std::optional<Shape>"), (r"\bIntArrayRef\b", "const Shape&"), (r"std::optional<const Shape&>", "std::optional<Shape>"),
    (r"\bScalarType\b", "DType"), (r"const Scalar ?&", "Scalar"), (r"\bTensorList\b", "const std::vector<Tensor>&"), (r"ITensorListRef", "const std::vector<Tensor>&"),
    (r"const ITensorListRef ?&", "const std::vector<Tensor>&"), (r" ?& ?", "&"), (r"\bconst (std::optional<[\w:<>]+>)&", r"\1"), (r"\s+", " "),
    (r"\bconst TensorOptions&", "TensorOptions"), (r"std::array<bool,\s*(\d)>", r"std::array<bool,\1>"), (r"const const ", "const "), (r"std::optional<const Scalar>", "std::optional<Scalar>"),
    (r"\bArrayRef<Scalar>", "const std::vector<Scalar>&"), (r"ArrayRef<double>", "const std::vector<double>&"), (r"const (std::string|std::string_view)&?", "std::string_view"),
    (r"const List<std::optional<Tensor>>&", "const std::vector<std::optional<Tensor>>&"), (r"const std::optional<Tensor>&", "std::optional<Tensor>"), (r"\bTensor&", "const Tensor&"), (r"const const", "const"),
    (r"\b(?:const )?OptionalShape&?", "std::optional<Shape>"), (r"\b(?:const )?OptionalNorm&?", "std::optional<std::string_view>"), (r"\bStorageHandle\b", "Storage"), (r"\bconst Storage&", "Storage"), (r"&&", "&"), (r"std::optional<const std::vector<double>&>", "std::optional<std::vector<double>>"),
    (r"std::optional<ArrayRef<double>>", "std::optional<std::vector<double>>"), (r"^std::optional<Tensor>$", "const Tensor&"), (r"\bDimname\w*", "Dimname"), (r"const Generator&", "Generator&"), (r"std::optional<Generator>", "Generator"), (r"const Device&", "Device"),
]


def normal(text):
    for pattern, to in TYPES:
        text = re.sub(pattern, to, text)
    return text.strip()


def parameters(text):
    return [normal(methods.Parameter(re.sub(r"\s*=.*$", "", p)).type) for p in methods.split_parameters(text.replace(" &", "&"))]


DECLARATION = re.compile(r"^\s*(?:static )?inline\s+(.+?)\s+(\w+)\((.*)\)\s*\{", re.M)
METHOD = re.compile(r"^  ([\w:<>, &]+?) (\w+)\(([^;{]*)\) const(?: &|&)?;", re.M)


def theirs_functions(include):
    out = {}
    for path in sorted((include / "ATen/ops").glob("*.h")):
        if path.stem.endswith(("_ops", "_native", "_dispatch")):
            continue
        for result, name, arguments in DECLARATION.findall(path.read_text()):
            if not name.endswith(("_out", "_outf", "_symint")) and "SymInt" not in arguments and "DimnameList" not in arguments and "Dimname" not in arguments:
                out.setdefault(name, []).append(parameters(arguments))
    return out


def theirs_methods(include):
    out = {}
    text = (include / "ATen/core/TensorBody.h").read_text()
    for result, name, arguments in METHOD.findall(text):
        if "Dimname" not in arguments and "SymInt" not in arguments:
            out.setdefault(name, []).append(parameters(arguments))
    return out


def ours(source, generated):
    functions, tensor_methods = {}, {}
    for f in methods.read(source / "core/ops"):
        functions.setdefault(f.name, []).append([normal(p.type) for p in f.parameters if p.type != "Activation"])
    for f in methods.in_place_forms(methods.read(source / "core/ops")):
        functions.setdefault(f.name + "_", []).append([normal(p.type) for p in f.parameters])
    header = (source / "core/tensor/tensor.h").read_text() + (generated / "core/tensor/tensor_methods.h").read_text()
    for result, name, arguments in re.findall(r"^  ([\w:<>, &]+?&?) ?(\w+)\(([^;{]*?)\) const(?:&)?(?:;| \{)", header, re.M | re.S):
        tensor_methods.setdefault(name, []).append(parameters(" ".join(arguments.split())))
    return functions, tensor_methods


# A call with fewer dtype, layout, device and pin_memory arguments spelt out is the form with TensorOptions.
def spelt_out(types):
    return "std::optional<Layout>" in types


def compare(theirs, mine):
    """Rows: name, overloads of theirs, those that we have."""
    rows = []
    for name in sorted(theirs):
        if ELSEWHERE.search(name):
            continue
        wanted = [t for t in theirs[name] if not spelt_out(t)]
        if not wanted:
            continue
        have = mine.get(name, [])
        missing = [t for t in wanted if t not in have]
        rows.append((name, len(wanted), missing if have else None))
    return rows


# Where a family is declared in libtorch, the pattern of its names, and the namespaces that a program would look in.
NAMES = {
    "torch::nn modules": ("torch/nn/modules", r"TORCH_MODULE(?:_IMPL)?\((\w+)", ["torch::nn"]),
    "torch::nn options": ("torch/nn/options", r"(?:struct TORCH_API |using )(\w+Options)\b", ["torch::nn", "torch::nn::functional"]),
    "torch::nn::functional": ("torch/nn/functional", r"^inline [\w:<>, ]+&? (\w+)\(", ["torch::nn::functional"]),
    "torch::nn::init": ("torch/nn/init.h", r"(\w+_|calculate_gain)\(", ["torch::nn::init"]),
    "torch::nn::utils": ("torch/nn/utils", r"inline [\w:<>, ]+&? (\w+)\(", ["torch::nn::utils", "torch::nn::utils::rnn"]),
    "torch::optim": ("torch/optim", r"class TORCH_API (\w+)|struct TORCH_API (\w+)", ["torch::optim"]),
    "torch::data": ("torch/data", r"^(?:class|struct) (?:TORCH_API )?(\w+)(?: final)?\s*[:{]",
                    ["torch::data", "torch::data::datasets", "torch::data::samplers", "torch::data::transforms"]),
    "torch::linalg": ("torch/linalg.h", r"inline [\w:<>, ]+&? (\w+)\(", ["torch::linalg"]),
    "torch::special": ("torch/special.h", r"inline [\w:<>, ]+&? (\w+)\(", ["torch::special"]),
    "torch::fft": ("torch/fft.h", r"inline [\w:<>, ]+&? (\w+)\(", ["torch::fft"]),
}


def names(root, pattern):
    paths = [root] if root.is_file() else sorted(p for p in root.rglob("*.h") if "detail" not in p.parts)
    found = set()
    for path in paths:
        for match in re.findall(pattern, path.read_text(), re.M):
            found.add(match if isinstance(match, str) else next(filter(None, match), ""))
    return sorted(n for n in found if len(n) > 1 and not n.startswith("_") and n != "padding_unwrap" and not INNER.search(n))


def declared(public, wanted):
    """Of pairs (namespaces, name), those that a compiler finds behind <oneagent/torch.h>; torch::Tensor is a namespace of its members."""
    lines, pairs = ["#include <oneagent/torch.h>"], []
    for spaces, name in wanted:
        for space in spaces:
            pairs.append((name, space))
            scope = f"struct in_{len(pairs)} : torch::Tensor" if space == "torch::Tensor" else f"namespace in_{len(pairs)}"
            lines.append(f"{scope} {{ using {space}::{name}; }};")
    run = subprocess.run(["g++", "-std=c++17", "-fsyntax-only", "-fmax-errors=0", f"-I{public}", "-xc++", "-"], input="\n".join(lines), text=True,
                         capture_output=True, check=False)
    failed = {int(n) - 2 for n in re.findall(r"^<stdin>:(\d+):.*error", run.stderr, re.M)}
    return {pair for n, pair in enumerate(pairs) if n not in failed}


def table(title, rows):
    whole = sum(1 for r in rows if r[2] == [])
    lines = [f"## {title}", "", f"{whole} of {len(rows)} names with every overload, {sum(1 for r in rows if r[2])} in part, {sum(1 for r in rows if r[2] is None)} not there.", "",
             "| name | state |", "| --- | --- |"]
    for name, count, missing in rows:
        if missing is None:
            state = "no"
        elif missing:
            state = f"{count - len(missing)} of {count}; not: " + "; ".join("(" + ", ".join(m) + ")" for m in missing)
        else:
            state = "yes"
        lines.append(f"| {name} | {state} |")
    return lines + [""]


def main():
    source, generated, include = map(pathlib.Path, sys.argv[1:4])
    functions, tensor_methods = ours(source, generated)
    lines = ["# The interface beside libtorch 1.13's", "",
             "Made by `core/torch/parity.py` from the headers of both; do not edit. Out-of-scope names (internal, complex, sparse, quantised, other back ends) are not listed.", ""]
    whole = compare(theirs_functions(include), functions)
    members = compare(theirs_methods(include), tensor_methods)
    api = include / "torch/csrc/api/include"
    wanted = {title: names(api / path, pattern) for title, (path, pattern, _) in NAMES.items()}
    have = declared(pathlib.Path(sys.argv[4]), [(NAMES[title][2], n) for title in NAMES for n in wanted[title]] + [(["torch"], r[0]) for r in whole if r[2] is None] +
                    [(["torch::Tensor"], r[0]) for r in members if r[2] is None])
    for title, rows, space in (("torch:: functions", whole, "torch"), ("Tensor methods", members, "torch::Tensor")):
        # templates and functions of other headers are known to the compiler only
        lines += table(title, [(n, count, [] if missing is None and (n, space) in have else missing) for n, count, missing in rows])
    for title, (_, _, spaces) in NAMES.items():
        lines += table(title, [(n, 1, [] if any((n, space) in have for space in spaces) else None) for n in wanted[title]])
    pathlib.Path(sys.argv[5]).write_text("\n".join(lines))


if __name__ == "__main__":
    main()
