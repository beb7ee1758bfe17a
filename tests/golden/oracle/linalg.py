"""Linear algebra: what PyTorch calls each op."""
import torch


def blended(function):
    def run(x, a, b, attrs):
        beta, alpha = float(attrs["beta"]), float(attrs["alpha"])
        if not x.dtype.is_floating_point:
            beta, alpha = int(beta), int(alpha)
        return function(x, a, b, beta=beta, alpha=alpha)
    return run


OPS = {name: (lambda f: lambda x, y, a: f(x, y))(getattr(torch, name)) for name in ["mv", "dot"]}
OPS |= {name: blended(getattr(torch, name)) for name in ["addmm", "addmv", "addr", "addbmm", "baddbmm"]}


def triangle(x, upper):
    return x.triu() if upper else x.tril()


def cholesky_ex(x, a):
    return torch.linalg.cholesky_ex(x, upper=a["upper"])


def lu_permutation(pivots, a):
    matrix = torch.zeros(*pivots.shape[:-1], a["rows"], pivots.shape[-1], dtype=torch.float64)
    order = torch.lu_unpack(matrix, pivots, unpack_data=False)[0].argmax(-2)
    return order.argsort(-1) if a["inverse"] else order


def solve_ex(x, b, a):
    lu, pivots, info = torch.linalg.lu_factor_ex(x)
    return torch.linalg.solve(x, b, left=a["left"]), lu, pivots, info


def det(x, a):
    return (torch.linalg.det(x), *torch.linalg.lu_factor(x))


def slogdet(x, a):
    return (*torch.linalg.slogdet(x), *torch.linalg.lu_factor(x))


OPS |= {
    "linalg_solve_triangular": lambda x, b, a: torch.linalg.solve_triangular(x, b, upper=a["upper"], left=a["left"], unitriangular=a["unitriangular"]),
    "linalg_cholesky_ex": cholesky_ex,
    "cholesky_solve": lambda b, l, a: torch.cholesky_solve(b, triangle(l, a["upper"]), upper=a["upper"]),
    "cholesky_inverse": lambda l, a: torch.cholesky_inverse(triangle(l, a["upper"]), upper=a["upper"]),
    "linalg_lu_factor_ex": lambda x, a: torch.linalg.lu_factor_ex(x),
    "lu_permutation": lu_permutation,
    "lu_unpack": lambda x, pivots, a: torch.lu_unpack(x if a["unpack_data"] else x.detach(), pivots, a["unpack_data"], a["unpack_pivots"]),
    "linalg_lu_solve": lambda x, pivots, b, a: torch.linalg.lu_solve(x, pivots, b, left=a["left"], adjoint=a["adjoint"]),
    "linalg_solve_ex": solve_ex,
    "linalg_inv_ex": lambda x, a: torch.linalg.inv_ex(x),
    "linalg_det": det,
    "linalg_slogdet": slogdet,
}


MODES = ["reduced", "complete", "r"]
OPS |= {
    "linalg_qr": lambda x, a: torch.linalg.qr(x, MODES[a["mode"]]),
    "geqrf": lambda x, a: torch.geqrf(x),
    "linalg_householder_product": lambda x, tau, a: torch.linalg.householder_product(x, tau),
    "ormqr": lambda x, tau, c, a: torch.ormqr(x, tau, c, a["left"], a["transpose"]),
    "linalg_svd": lambda x, a: torch.linalg.svd(x, full_matrices=a["full_matrices"]),
    "linalg_svdvals": lambda x, a: torch.linalg.svdvals(x),
    "linalg_eigh": lambda x, a: torch.linalg.eigh(x, "U" if a["upper"] else "L"),
    "linalg_eigvalsh": lambda x, a: torch.linalg.eigvalsh(x, "U" if a["upper"] else "L"),
}


DRIVERS = ["gels", "gelsy", "gelsd", "gelss"]


def lstsq(x, b, a):
    solution, _, rank, values = torch.linalg.lstsq(x, b, rcond=float(a["rcond"]), driver=DRIVERS[a["driver"]])
    return solution, rank, values


OPS |= {
    "linalg_ldl_factor_ex": lambda x, a: torch.linalg.ldl_factor_ex(x),
    "linalg_ldl_solve": lambda x, pivots, b, a: torch.linalg.ldl_solve(x.expand(*b.shape[:-2], -1, -1), pivots.expand(*b.shape[:-2], -1), b),
    "linalg_pinv": lambda x, atol, rtol, a: torch.linalg.pinv(x, atol=atol.detach(), hermitian=a["hermitian"]),
    "linalg_lstsq": lstsq,
    "matrix_exp": lambda x, a: torch.linalg.matrix_exp(x),
}


def real(x):
    return torch.view_as_real(x)


def number(x):
    return torch.view_as_complex(x.contiguous())


OPS |= {
    "linalg_cross": lambda x, y, a: torch.linalg.cross(x, y, dim=a["dim"]),
    "trace": lambda x, a: torch.trace(x),
    "linalg_vander": lambda x, a: (lambda y: y if a["increasing"] else y.flip(-1))(x.unsqueeze(-1) ** torch.arange(a["columns"])),
    "fft_r2c": lambda x, a: real(torch._fft_r2c(x, a["dims"], a["normalization"], a["onesided"])),
    # over no dimension PyTorch 1.13 returns memory that it has not written
    "fft_c2c": lambda x, a: x.clone() if not a["dims"] else real(torch._fft_c2c(number(x), a["dims"], a["normalization"], a["forward"])),
    "fft_c2r": lambda x, a: torch._fft_c2r(number(x), a["dims"], a["normalization"], a["last_dim_size"]),
}
