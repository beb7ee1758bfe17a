"""Joins the rows of ops_table's two programs: ops_table.py FOLDER MACHINE [TABLE.md], worst first."""
import glob
import os
import re
import sys


def rows_of(folder, side):
    rows = {}
    for path in glob.glob(os.path.join(folder, side + "-*.txt")):
        for line in open(path):
            row = re.fullmatch(r"([^#].* (?:small|large) (?:forward|backward)) ([0-9.]+)\n", line)
            if row:
                rows[row[1]] = min(float(row[2]), rows.get(row[1], 1e30))
    return rows


def main():
    folder, machine = sys.argv[1:3]
    theirs, ours = rows_of(folder, "libtorch"), rows_of(folder, "ours")
    table = sorted(((ours[name] / theirs[name], name) for name in ours if name in theirs), reverse=True)
    ops = {name.rsplit(" ", 2)[0] for _, name in table}
    slow = [name for ratio, name in table if ratio > 1.1]
    middle = table[len(table) // 2][0]
    summary = (f"{len(table)} rows of {len(ops)} cases; slower than 1.10 times libtorch: {len(slow)} rows "
               f"of {len({name.rsplit(' ', 2)[0] for name in slow})} cases; median ratio {middle:.2f}")
    if len(sys.argv) < 4:
        for ratio, name in table:
            print(f"{ratio:6.2f} {theirs[name]:12.0f} {ours[name]:12.0f}  {name}")
        for name in sorted(set(theirs) ^ set(ours)):
            print("only one side:", name)
        print(summary)
        return
    with open(sys.argv[3], "w") as out:
        out.write(f"""# Every op beside libtorch

Processor time of one call, ours over Debian's libtorch 1.13.1, worst first. One thread; sizes: small has 16 to 1024 elements, large about
a million or a layer of a model; backward is forward with a graph and `backward()`. Re-run by `tests/bench/peers/ops_table.sh`: one source
compiled against either, the programs alternating family by family, least time of every row. Rows of large sizes with few operations an element
measure the memory that other processes share. The gradient of a view is copied here, as `.grad` never shares memory with the gradient
that `backward()` was given; libtorch keeps that gradient itself.

Machine: {machine}.
{summary}.

| ratio | op | size | pass | libtorch, us | ours, us |
| ---: | --- | --- | --- | ---: | ---: |
""")
        for ratio, name in table:
            op, size, kind = name.rsplit(" ", 2)
            out.write(f"| {ratio:.2f} | {op} | {size} | {kind} | {theirs[name] / 1e3:.2f} | {ours[name] / 1e3:.2f} |\n")
    print(summary)


main()
