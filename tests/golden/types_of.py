"""The names of dtypes in samples and golden files."""
import torch

TYPES = {name: getattr(torch, name) for name in ("float32", "float64", "int64", "int32", "int16", "int8", "uint8", "bool", "float16", "bfloat16")}
