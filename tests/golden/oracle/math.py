"""What PyTorch calls the elementwise ops of core/ops: OPS maps a name to a function of (inputs..., attrs).

Bessel functions of the first and second kind and Airy's come from SciPy: PyTorch 1.13 leaves out the leading 1 of some of Cephes' denominators, which
costs it half of the digits.
"""
import scipy.special
import torch


def number(a, name="number"):
    return float(a[name])


def whole(a, x, name="number", integer="integer"):
    """The number of a call in the kind of its tensor."""
    return a[integer] if not x.dtype.is_floating_point else float(a[name])


UNARY = ["trunc", "frac", "angle", "exp2", "log2", "log10", "sinh", "cosh", "asinh", "acosh", "atanh", "tan", "asin", "acos", "atan", "sinc", "erfc",
         "isinf", "isposinf", "isneginf", "signbit"]
BINARY = ["fmin", "fmax", "atan2", "hypot", "copysign", "nextafter", "heaviside"]
COMPARISONS = ["eq", "ne", "lt", "le", "gt", "ge", "logical_and", "logical_or", "logical_xor"]

OPS = {name: (lambda f: lambda x, a: f(x))(getattr(torch, name)) for name in UNARY}
OPS |= {name: (lambda f: lambda x, y, a: f(x, y))(getattr(torch, name)) for name in BINARY}
OPS |= {name + "_in_place": (lambda f: lambda x, y, a: f(x, y).to(x.dtype))(getattr(torch, name)) for name in COMPARISONS}
OPS |= {
    "logit_backward": lambda g, x, a: torch.ops.aten.logit_backward(g, x, number(a, "eps") if number(a, "eps") >= 0 else None),
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
}

SPECIAL = ["erfcx", "ndtr", "ndtri", "log_ndtr", "entr", "i0e", "i1", "i1e", "modified_bessel_k0",
           "modified_bessel_k1", "modified_bessel_i0", "modified_bessel_i1", "scaled_modified_bessel_k0", "scaled_modified_bessel_k1", "spherical_bessel_j0"]
POLYNOMIALS = ["chebyshev_polynomial_t", "chebyshev_polynomial_u", "chebyshev_polynomial_v", "chebyshev_polynomial_w", "shifted_chebyshev_polynomial_t",
               "shifted_chebyshev_polynomial_u", "shifted_chebyshev_polynomial_v", "shifted_chebyshev_polynomial_w", "hermite_polynomial_h",
               "hermite_polynomial_he", "laguerre_polynomial_l", "legendre_polynomial_p"]
INTEGERS = ["gcd", "lcm", "bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_left_shift", "bitwise_right_shift"]

OPS |= {"special_" + name: (lambda f: lambda x, a: f(x))(getattr(torch._C._special, "special_" + name)) for name in SPECIAL}
OPS |= {"special_" + name: (lambda f: lambda x, n, a: f(x, n))(getattr(torch._C._special, "special_" + name)) for name in POLYNOMIALS}
OPS |= {name: (lambda f: lambda x, y, a: f(x, y))(getattr(torch, name)) for name in INTEGERS + ["logaddexp", "logaddexp2", "xlogy", "fmod", "remainder"]}
OPS |= {name: (lambda f: lambda x, a: f(x))(getattr(torch, name)) for name in ["erfinv", "i0", "lgamma", "digamma", "bitwise_not"]}
OPS |= {
    "special_xlog1py": lambda x, y, a: torch.special.xlog1py(x, y),
    "special_zeta": lambda x, y, a: torch.special.zeta(x.double(), y),
    "igamma": lambda x, y, a: torch.igamma(x.double(), y),
    "igammac": lambda x, y, a: torch.igammac(x.double(), y),
    "polygamma": lambda x, a: torch.polygamma(a["integer"], x),
    "logit": lambda x, a: torch.logit(x, number(a, "eps") if number(a, "eps") >= 0 else None),
    "frexp": lambda x, a: torch.frexp(x),
    "div_trunc": lambda x, y, a: torch.div(x, y, rounding_mode="trunc"),
    "div_floor": lambda x, y, a: torch.div(x, y, rounding_mode="floor"),
}


def scipy_of(function):
    return lambda x, a: torch.tensor(function(x.numpy()), dtype=torch.float64)


OPS |= {
    "special_bessel_j0": scipy_of(scipy.special.j0),
    "special_bessel_j1": scipy_of(scipy.special.j1),
    "special_bessel_y0": scipy_of(scipy.special.y0),
    "special_bessel_y1": scipy_of(scipy.special.y1),
    "special_airy_ai": scipy_of(lambda x: scipy.special.airy(x)[0]),
}
