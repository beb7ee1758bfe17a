"""What PyTorch calls the elementwise ops of core/ops: OPS maps a name to a function of (inputs..., attrs)."""
import torch


def number(a, name="number"):
    return float(a[name])


def whole(a, x, name="number", integer="integer"):
    """The number of a call in the kind of its tensor."""
    return a[integer] if not x.dtype.is_floating_point else float(a[name])


UNARY = ["trunc", "frac", "angle", "exp2", "log2", "log10", "sinh", "cosh", "asinh", "acosh", "atanh", "tan", "asin", "acos", "atan", "sinc", "erfc",
         "isinf", "isposinf", "isneginf", "signbit"]
BINARY = ["fmin", "fmax", "atan2", "hypot", "copysign", "nextafter", "heaviside"]

OPS = {name: (lambda f: lambda x, a: f(x))(getattr(torch, name)) for name in UNARY}
OPS |= {name: (lambda f: lambda x, y, a: f(x, y))(getattr(torch, name)) for name in BINARY}
OPS |= {
    "round_decimals": lambda x, a: torch.round(x / number(a, "scale")) * number(a, "scale") if a["divides"]
    else torch.round(x * number(a, "scale")) / number(a, "scale"),
    "nan_to_num": lambda x, a: torch.nan_to_num(x, number(a, "nan"), number(a, "posinf"), number(a, "neginf")),
    "add_scaled": lambda x, y, a: torch.add(x, y, alpha=whole(a, x)),
    "isclose": lambda x, y, a: torch.isclose(x, y, number(a, "rtol"), number(a, "atol"), bool(a["equal_nan"])),
    "clamp_min": lambda x, y, a: torch.clamp_min(x, y),
    "clamp_max": lambda x, y, a: torch.clamp_max(x, y),
    "clamp_tensor": lambda x, y, z, a: torch.clamp(x, y, z),
    "lerp_number": lambda x, y, a: torch.lerp(x, y, number(a)),
    "lerp": lambda x, y, z, a: torch.lerp(x, y, z),
    "addcmul": lambda x, y, z, a: torch.addcmul(x, y, z, value=whole(a, x)),
    "addcdiv": lambda x, y, z, a: torch.addcdiv(x, y, z, value=number(a)),
    "masked_fill": lambda x, m, v, a: torch.masked_fill(x, m, v),
}
