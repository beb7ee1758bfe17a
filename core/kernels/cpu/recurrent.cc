#include "core/kernels/cpu/recurrent.h"

#include "core/kernels/cpu/curve_math.h"

namespace oneagent::cpu::OA_ISA {
namespace {

template <class T>
void lstm(const LstmStep& step) {
  const int64_t h = step.h;
  for (int64_t r = 0; r < step.rows; ++r) {
    T* gates = static_cast<T*>(step.workspace) + r * 5 * h;
    T* cell = static_cast<T*>(step.cell) + r * h;
    T* hidden = static_cast<T*>(step.hidden) + r * h;
    T* y = static_cast<T*>(step.y) + r * h;
#pragma GCC ivdep
    for (int64_t j = 0; j < h; ++j) {
      const T i = logistic_(gates[j]), f = logistic_(gates[h + j]);
      const T g = tanh_(gates[2 * h + j]), o = logistic_(gates[3 * h + j]);
      const T c = fma_(f, cell[j], i * g);
      const T out = o * tanh_(c);
      gates[j] = i;
      gates[h + j] = f;
      gates[2 * h + j] = g;
      gates[3 * h + j] = o;
      gates[4 * h + j] = c;
      cell[j] = c;
      hidden[j] = out;
      y[j] = out;
    }
  }
}

template <class T>
const T* row(const void* data, int64_t at) {
  return data == nullptr ? nullptr : static_cast<const T*>(data) + at;
}
template <class T>
OA_INLINE T value_or_zero(const T* data, int64_t i) {
  return data == nullptr ? T(0) : data[i];
}

template <class T, bool Workspace>
void lstm_backward(const LstmStepGradient& step) {
  const int64_t h = step.h;
  for (int64_t r = 0; r < step.rows; ++r) {
    const T* w = row<T>(step.workspace, r * 5 * h);
    const T* extra = row<T>(step.to_workspace, r * 5 * h);
    const T* before = row<T>(step.cell_before, r * step.cell_step);
    const T* to_hidden = row<T>(step.to_hidden, r * h);
    const T* to_y = row<T>(step.to_y, r * h);
    T* to_cell = static_cast<T*>(step.to_cell) + r * h;
    T* out = static_cast<T*>(step.to_gates) + r * 4 * h;
#pragma GCC ivdep
    for (int64_t j = 0; j < h; ++j) {
      const T i = w[j], f = w[h + j], g = w[2 * h + j], o = w[3 * h + j], t = tanh_(w[4 * h + j]);
      const T dh = to_hidden[j] + value_or_zero(to_y, j);
      T dc = fma_(dh * o, T(1) - t * t, to_cell[j]);
      T d_o = dh * t;
      if (Workspace) dc += extra[4 * h + j];
      T di = dc * g, df = dc * before[j], dg = dc * i;
      if (Workspace) {
        di += extra[j];
        df += extra[h + j];
        dg += extra[2 * h + j];
        d_o += extra[3 * h + j];
      }
      to_cell[j] = dc * f;
      out[j] = di * i * (T(1) - i);
      out[h + j] = df * f * (T(1) - f);
      out[2 * h + j] = dg * (T(1) - g * g);
      out[3 * h + j] = d_o * o * (T(1) - o);
    }
  }
}

template <class T>
void gru(const GruStep& step) {
  const int64_t h = step.h;
  for (int64_t r = 0; r < step.rows; ++r) {
    const T* x = row<T>(step.from_x, r * 3 * h);
    const T* s = row<T>(step.from_h, r * 3 * h);
    T* w = static_cast<T*>(step.workspace) + r * 4 * h;
    T* hidden = static_cast<T*>(step.hidden) + r * h;
    T* y = static_cast<T*>(step.y) + r * h;
#pragma GCC ivdep
    for (int64_t j = 0; j < h; ++j) {
      const T reset = logistic_(x[j] + s[j]), update = logistic_(x[h + j] + s[h + j]);
      const T candidate = tanh_(fma_(reset, s[2 * h + j], x[2 * h + j]));
      const T out = fma_(update, hidden[j] - candidate, candidate);
      w[j] = reset;
      w[h + j] = update;
      w[2 * h + j] = candidate;
      w[3 * h + j] = s[2 * h + j];
      hidden[j] = out;
      y[j] = out;
    }
  }
}

template <class T, bool Workspace>
void gru_backward(const GruStepGradient& step) {
  const int64_t h = step.h;
  for (int64_t r = 0; r < step.rows; ++r) {
    const T* w = row<T>(step.workspace, r * 4 * h);
    const T* extra = row<T>(step.to_workspace, r * 4 * h);
    const T* before = row<T>(step.before, r * step.before_step);
    const T* to_y = row<T>(step.to_y, r * h);
    T* to_hidden = static_cast<T*>(step.to_hidden) + r * h;
    T* to_x = static_cast<T*>(step.to_x) + r * 3 * h;
    T* to_h = static_cast<T*>(step.to_h) + r * 3 * h;
#pragma GCC ivdep
    for (int64_t j = 0; j < h; ++j) {
      const T reset = w[j], update = w[h + j], n = w[2 * h + j], hn = w[3 * h + j];
      const T dh = to_hidden[j] + value_or_zero(to_y, j);
      T dn = dh * (T(1) - update), dz = dh * (before[j] - n);
      if (Workspace) {
        dn += extra[2 * h + j];
        dz += extra[h + j];
      }
      const T dx = dn * (T(1) - n * n);
      T dr = dx * hn, dhn = dx * reset;
      if (Workspace) {
        dr += extra[j];
        dhn += extra[3 * h + j];
      }
      const T to_reset = dr * reset * (T(1) - reset), to_update = dz * update * (T(1) - update);
      to_x[j] = to_reset;
      to_x[h + j] = to_update;
      to_x[2 * h + j] = dx;
      to_h[j] = to_reset;
      to_h[h + j] = to_update;
      to_h[2 * h + j] = dhn;
      to_hidden[j] = dh * update;
    }
  }
}

template <class T>
void plain_backward(const PlainStepGradient& step) {
  const T* y = row<T>(step.y, 0);
  const T* to_hidden = row<T>(step.to_hidden, 0);
  const T* to_y = row<T>(step.to_y, 0);
  T* out = static_cast<T*>(step.to_gates);
  if (step.relu) {
#pragma GCC ivdep
    for (int64_t i = 0; i < step.n; ++i)
      out[i] = y[i] > T(0) ? to_hidden[i] + value_or_zero(to_y, i) : T(0);
  } else {
#pragma GCC ivdep
    for (int64_t i = 0; i < step.n; ++i)
      out[i] = (to_hidden[i] + value_or_zero(to_y, i)) * (T(1) - y[i] * y[i]);
  }
}

}  // namespace

void lstm_step(DType dtype, const LstmStep& step) {
  with_floating(dtype, [&]<class T>(Type<T>) { lstm<T>(step); });
}
void lstm_step_backward(DType dtype, const LstmStepGradient& step) {
  with_floating(dtype, [&]<class T>(Type<T>) {
    if (step.to_workspace != nullptr)
      lstm_backward<T, true>(step);
    else
      lstm_backward<T, false>(step);
  });
}
void gru_step(DType dtype, const GruStep& step) {
  with_floating(dtype, [&]<class T>(Type<T>) { gru<T>(step); });
}
void gru_step_backward(DType dtype, const GruStepGradient& step) {
  with_floating(dtype, [&]<class T>(Type<T>) {
    if (step.to_workspace != nullptr)
      gru_backward<T, true>(step);
    else
      gru_backward<T, false>(step);
  });
}
void plain_step_backward(DType dtype, const PlainStepGradient& step) {
  with_floating(dtype, [&]<class T>(Type<T>) { plain_backward<T>(step); });
}

}  // namespace oneagent::cpu::OA_ISA
