#!/usr/bin/env python3
"""Writes the methods of Tensor, the in-place forms and the out= forms from the declarations in core/ops/*.h (see core/ops/api.h).

usage: methods.py OPS_FOLDER OUTPUT_FOLDER
    OUTPUT/core/tensor/tensor_methods.h   declarations inside class Tensor
    OUTPUT/core/ops/in_place.h            free functions name_(self, ...)
    OUTPUT/core/ops/out_forms.h           free functions name_out(out, ..., self, ...)
    OUTPUT/core/ops/methods.cc            definitions of the methods and the in-place forms
"""
import pathlib
import re
import sys

FUNCTION = re.compile(r"^(OA_IN_PLACE )?(?:inline )?((?:const )?[\w:]+(?:<.*>)?(?: ?&)?) (\w+)\((.*)\)$")
SELF = re.compile(r"^(const Tensor ?& ?|Tensor ?& ?)(self|x|a|base)$")
NOT_METHODS = {"to_vector", "print", "zeros_like", "ones_like", "empty_like", "full_like", "rand_like", "randn_like", "randint_like"}
# Types that the header of Tensor does not know: functions with them are no methods.
FOREIGN = re.compile(r"\b(Pair|Activation|Reduction|Stream)\b")
# Written out in core/tensor/tensor.h.
BY_HAND = {"item", "backward", "detach", "detach_", "requires_grad_", "operator"}


def statements(text):
    """Declarations at the level of namespace oneagent: comments gone, bodies cut off."""
    text = re.sub(r"//[^\n]*", "", text)
    text = re.sub(r"^\s*#.*?(?<!\\)$", "", text, flags=re.M)
    at = text.find("namespace oneagent {")
    if at < 0:
        return
    text = text[at + len("namespace oneagent {"):]
    depth = parens = 0
    current = ""
    for c in text:
        if c == "(":
            parens += 1
        elif c == ")":
            parens -= 1
        if parens == 0 and c == "{":
            if depth == 0:
                yield " ".join(current.split())
                current = ""
            depth += 1
        elif parens == 0 and c == "}":
            depth -= 1
            if depth < 0:
                return
            current = ""
        elif parens == 0 and c == ";":
            if depth == 0 and current.strip():
                yield " ".join(current.split())
            current = ""
        elif depth == 0:
            current += c


def split_parameters(text):
    out, depth, current = [], 0, ""
    for c in text:
        if c in "<({":
            depth += 1
        elif c in ">)}":
            depth -= 1
        if c == "," and depth == 0:
            out.append(current.strip())
            current = ""
        else:
            current += c
    return out + [current.strip()] if current.strip() else out


class Parameter:
    def __init__(self, text):
        self.text = text
        head, self.default = (text.split(" = ", 1) + [None])[:2] if " = " in text else (text, None)
        match = re.match(r"^(.*?[\s&>])(\w+)$", head)
        self.type, self.name = (match.group(1).strip(), match.group(2)) if match else (head, "")

    @property
    def bare(self):
        return f"{self.type} {self.name}"


class Function:
    def __init__(self, match):
        self.in_place_wanted = bool(match.group(1))
        self.result, self.name = match.group(2), match.group(3)
        self.parameters = [Parameter(p) for p in split_parameters(match.group(4))]

    @property
    def self_at(self):
        """Which parameter a method stands for: the first, but for where(condition, self, other)."""
        return 1 if self.name == "where" and len(self.parameters) > 1 else 0

    @property
    def is_method(self):
        return bool(self.parameters) and bool(SELF.match(self.parameters[self.self_at].bare)) and self.name not in NOT_METHODS and not any(FOREIGN.search(p.type) for p in self.parameters)

    @property
    def rest(self):
        return self.parameters[:self.self_at] + self.parameters[self.self_at + 1:]

    def arguments(self, this):
        """Those of a call from the method."""
        names = [p.name for p in self.rest]
        return ", ".join(names[:self.self_at] + [this] + names[self.self_at:])

    def key(self):
        return self.name, tuple(p.type for p in self.parameters)

    def changes_self(self):
        return self.result in ("const Tensor&", "Tensor&", "const Tensor &", "Tensor &")


def read(folder):
    functions, seen = [], set()
    for path in sorted(pathlib.Path(folder).glob("*.h")):
        if path.name.startswith("op_"):  # what op files share
            continue
        for statement in statements(path.read_text()):
            match = FUNCTION.match(statement)
            if not match or statement.startswith(("template", "using", "return", "struct", "class", "enum", "extern", "constexpr", "typedef")):
                continue
            function = Function(match)
            function.header = path.name
            if function.key() in seen or function.name in BY_HAND:
                continue
            seen.add(function.key())
            functions.append(function)
    return functions


def declare(parameters):
    return ", ".join(p.text for p in parameters)


def define(parameters):
    return ", ".join(p.bare for p in parameters)


def call(parameters):
    return ", ".join(p.name for p in parameters)


def in_place_forms(functions):
    """(function, name) of each form with an underscore that no header declares."""
    declared = {f.key() for f in functions}
    for f in functions:
        if f.in_place_wanted and (f.name + "_", f.key()[1]) not in declared:
            yield f


def methods_text(functions):
    lines = ["  // Generated by core/ops/methods.py from the headers of core/ops/; do not edit."]
    for f in functions:
        if not f.is_method:
            continue
        result = "Tensor&" if f.changes_self() else f.result
        lines.append(f"  {result} {f.name}({declare(f.rest)}) const;")
    for f in in_place_forms(functions):
        if f.is_method:
            lines.append(f"  Tensor& {f.name}_({declare(f.rest)}) const;")
    return "\n".join(lines) + "\n"


def definitions_text(functions):
    lines = ["// Generated by core/ops/methods.py; do not edit.", '#include "core/ops/op_support.h"', '#include "core/ops/in_place.h"', '#include "core/ops/ops.h"', "",
             "namespace oneagent {", ""]
    for f in functions:
        if not f.is_method:
            continue
        arguments = f.arguments("*this")
        if f.changes_self():
            self_argument = "const_cast<Tensor&>(*this)"
            arguments = f.arguments(self_argument)
            lines.append(f"Tensor& Tensor::{f.name}({define(f.rest)}) const {{\n  oneagent::{f.name}({arguments});\n  return {self_argument};\n}}")
        else:
            lines.append(f"{f.result} Tensor::{f.name}({define(f.rest)}) const {{ return oneagent::{f.name}({arguments}); }}")
    for f in in_place_forms(functions):
        name = f.parameters[0].name
        lines.append(f"Tensor& {f.name}_({define(f.parameters)}) {{\n  return replace_values(\"{f.name}_\", {name}, [&](const Tensor& {name}) {{ return {f.name}({call(f.parameters)}); }});\n}}")
        if f.is_method:
            arguments = f.arguments("*this")
            lines.append(f"Tensor& Tensor::{f.name}_({define(f.rest)}) const {{ return oneagent::{f.name}_({arguments}); }}")
    return "\n".join(lines) + "\n\n}  // namespace oneagent\n"


def in_place_text(functions):
    lines = ["// Generated by core/ops/methods.py; do not edit.", "#pragma once", "", '#include "core/ops/ops.h"', "", "namespace oneagent {", ""]
    lines += [f"Tensor& {f.name}_({declare(f.parameters)});" for f in in_place_forms(functions)]
    return "\n".join(lines) + "\n\n}  // namespace oneagent\n"


def out_count(result):
    if result == "Tensor":
        return 1
    match = re.match(r"^std::tuple<([Tensor, ]+)>$", result)
    return match.group(1).count("Tensor") if match else 0


# libtorch declares these outs const.
CONST_OUT = {"resize", "resize_as", "fft_hfft2", "fft_hfftn", "fft_ihfft2", "fft_ihfftn"}
# Lists that are written to a list of outs, each resized to its part.
LIST_OUT = {"unsafe_split", "unsafe_split_with_sizes"}


def list_out_lines(f):
    forward = ", ".join(["out"] + [p.name for p in f.parameters])
    return [f"inline void {f.name}_out(TensorList out, {declare(f.parameters)}) {{ write_list_out(\"{f.name}_out\", out, oneagent::{f.name}({call(f.parameters)})); }}",
            f"inline void {f.name}_outf({define(f.parameters)}, TensorList out) {{ {f.name}_out({forward}); }}"]


OUT_HELPERS = """// Each of `outs`, as many as there are results.
inline void write_list_out(const char* name, TensorList outs, const std::vector<Tensor>& results) {
  OA_REQUIRE(outs.size() == results.size(), name, ": expected ", results.size(), " out tensors, was ", outs.size());
  for (size_t i = 0; i < results.size(); ++i) {
    Tensor out = outs[i];
    write_out(out, results[i]);
  }
}
"""


def out_text(functions):
    lines = ["// Generated by core/ops/methods.py; do not edit.", "#pragma once", "", '#include "core/graph/out_scope.h"', '#include "core/ops/ops.h"', '#include "core/ops/result.h"', "", "namespace oneagent {", "", OUT_HELPERS]
    declared = {f.name for f in functions}
    for f in functions:
        if f.name in LIST_OUT:
            lines += list_out_lines(f)
        count = out_count(f.result)
        if count == 0 or f.name.endswith("_out") or f.name + "_out" in declared or f.name.endswith("_"):
            continue
        mine = [p for p in f.parameters if p.type != "Activation"]  # not of libtorch's signatures
        rest = [p for p in mine if "TensorOptions" not in p.type]
        if not any("Tensor" in p.type for p in rest) and not any("TensorOptions" in p.type for p in f.parameters):
            continue
        outs = ["out"] if count == 1 else [f"out{i}" for i in range(count)]
        head = ", ".join([f"Tensor& {o}" for o in outs] + [p.text for p in rest])
        arguments = ", ".join(f"{outs[0]}.options()" if "TensorOptions" in p.type else p.name for p in mine)
        last = ", ".join([p.bare for p in rest] + [f"Tensor& {o}" for o in outs])
        forward = ", ".join(outs + [p.name for p in rest])
        result = "Tensor&" if count == 1 else f"std::tuple<{', '.join(['Tensor&'] * count)}>"
        if count == 1:
            value = f"oneagent::{f.name}({arguments})"
            tensors = [p for p in f.parameters if "Tensor" in p.type and "TensorOptions" not in p.type]
            if all(re.fullmatch(r"const Tensor ?&", p.type) for p in tensors):
                values = ", ".join("&" + p.name for p in tensors)
                value = f"[&] {{ const OutScope scope(out, {{{values}}}); return {value}; }}()"
            if f.name in CONST_OUT:
                last, result = last.replace("Tensor& out", "const Tensor& out"), "const Tensor&"
                value = value.replace("OutScope scope(out, ", "OutScope scope(same, ")
                lines.append(f"inline const Tensor& {f.name}_out(const {head}) {{ Tensor same = out; write_out(same, {value}); return out; }}")
            else:
                lines.append(f"inline Tensor& {f.name}_out({head}) {{ return write_out(out, {value}); }}")
        else:
            ties = ", ".join(["Tensor&"] * count)
            lines.append(f"inline std::tuple<{ties}> {f.name}_out({head}) {{\n  auto results = oneagent::{f.name}({arguments});")
            lines += [f"  write_out({o}, std::get<{i}>(results));" for i, o in enumerate(outs)]
            lines.append(f"  return {{{', '.join(outs)}}};\n}}")
        lines.append(f"inline {result} {f.name}_outf({last}) {{ return {f.name}_out({forward}); }}")
        if f.name == "normal_functional":  # whose out form has the name of normal's
            lines.append(f"inline Tensor& normal_out({declare_first('Tensor& out', f.parameters)}) {{ return normal_functional_out({forward}); }}")
            lines.append(f"inline Tensor& normal_outf({last}) {{ return normal_functional_out({forward}); }}")
    return "\n".join(lines) + "\n\n}  // namespace oneagent\n"


def special_text(functions):
    """torch::special: special_name and special_name_out without the first part of their names."""
    lines = ["// Generated by core/ops/methods.py; do not edit. torch::special, documented beside the functions special_*.", "#pragma once", "",
             '#include "core/ops/out_forms.h"', "", "namespace oneagent::special {", ""]
    for f in functions:
        if not f.name.startswith("special_"):
            continue
        name = f.name[len("special_"):]
        given = ", ".join(p.name for p in f.parameters)
        lines.append(f"inline {f.result} {name}({declare(f.parameters)}) {{ return oneagent::{f.name}({given}); }}")
        if f.result == "Tensor":
            lines.append(f"inline Tensor& {name}_out({declare_first('Tensor& out', f.parameters)}) {{ return oneagent::{f.name}_out(out, {given}); }}")
    return "\n".join(lines) + "\n\n}  // namespace oneagent::special\n"


def declare_first(first, parameters):
    return ", ".join([first] + [p.text for p in parameters])


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


def main():
    functions = read(sys.argv[1])
    out = pathlib.Path(sys.argv[2])
    write(out / "core/tensor/tensor_methods.h", methods_text(functions))
    write(out / "core/ops/in_place.h", in_place_text(functions))
    write(out / "core/ops/out_forms.h", out_text(functions))
    write(out / "core/ops/special_ns.h", special_text(functions))
    write(out / "core/ops/methods.cc", definitions_text(functions))


if __name__ == "__main__":
    main()
