// Complex numbers as elements of tensors: c10::complex<T>. Two parts in order, as std::complex lays
// them out, to and from which it converts. Functions of complex numbers are std's: std::abs(z),
// std::exp(z).
#pragma once

#include <complex>
#include <ostream>
#include <type_traits>

namespace oneagent {

template <class T>
struct Complex {
  using value_type = T;

  constexpr Complex() = default;
  constexpr Complex(const T& re, const T& im = T()) : real_(re), imag_(im) {}        // NOLINT
  constexpr Complex(const std::complex<T>& z) : real_(z.real()), imag_(z.imag()) {}  // NOLINT
  template <class U, std::enable_if_t<(sizeof(U) < sizeof(T)), int> = 0>
  constexpr Complex(const Complex<U>& z) : real_(z.real()), imag_(z.imag()) {}  // NOLINT
  template <class U, std::enable_if_t<(sizeof(U) > sizeof(T)), int> = 0>
  constexpr explicit Complex(const Complex<U>& z)
      : real_(static_cast<T>(z.real())), imag_(static_cast<T>(z.imag())) {}
  constexpr operator std::complex<T>() const { return {real_, imag_}; }  // NOLINT

  constexpr T real() const { return real_; }
  constexpr T imag() const { return imag_; }
  constexpr void real(T value) { real_ = value; }
  constexpr void imag(T value) { imag_ = value; }
  explicit constexpr operator bool() const { return real_ != T() || imag_ != T(); }

  constexpr Complex& operator=(T re) { return *this = Complex(re); }
  constexpr Complex& operator+=(const Complex& z) {
    return *this = Complex(real_ + z.real_, imag_ + z.imag_);
  }
  constexpr Complex& operator-=(const Complex& z) {
    return *this = Complex(real_ - z.real_, imag_ - z.imag_);
  }
  constexpr Complex& operator*=(const Complex& z) {
    return *this = Complex(real_ * z.real_ - imag_ * z.imag_, real_ * z.imag_ + imag_ * z.real_);
  }
  // Scaled by the larger part of the divisor, so that squares do not overflow (Smith's method).
  constexpr Complex& operator/=(const Complex& z) {
    const bool wide = (z.real_ < T() ? -z.real_ : z.real_) >= (z.imag_ < T() ? -z.imag_ : z.imag_);
    if (wide && z.real_ == T() && z.imag_ == T())
      return *this = Complex(real_ / z.real_, imag_ / z.real_);
    const T ratio = wide ? z.imag_ / z.real_ : z.real_ / z.imag_;
    const T scale = T(1) / (wide ? z.real_ + z.imag_ * ratio : z.real_ * ratio + z.imag_);
    return *this = wide ? Complex((real_ + imag_ * ratio) * scale, (imag_ - real_ * ratio) * scale)
                        : Complex((real_ * ratio + imag_) * scale, (imag_ * ratio - real_) * scale);
  }

  friend constexpr Complex operator+(const Complex& a) { return a; }
  friend constexpr Complex operator-(const Complex& a) { return {-a.real_, -a.imag_}; }
  friend constexpr Complex operator+(Complex a, const Complex& b) { return a += b; }
  friend constexpr Complex operator-(Complex a, const Complex& b) { return a -= b; }
  friend constexpr Complex operator*(Complex a, const Complex& b) { return a *= b; }
  friend constexpr Complex operator/(Complex a, const Complex& b) { return a /= b; }
  friend constexpr bool operator==(const Complex& a, const Complex& b) {
    return a.real_ == b.real_ && a.imag_ == b.imag_;
  }
  friend constexpr bool operator!=(const Complex& a, const Complex& b) { return !(a == b); }
  friend std::ostream& operator<<(std::ostream& out, const Complex& z) {
    return out << static_cast<std::complex<T>>(z);
  }

 private:
  T real_ = T();
  T imag_ = T();
};

namespace complex_literals {
constexpr Complex<float> operator""_if(long double im) { return {0.0F, static_cast<float>(im)}; }
constexpr Complex<float> operator""_if(unsigned long long im) {
  return {0.0F, static_cast<float>(im)};
}
constexpr Complex<double> operator""_id(long double im) { return {0.0, static_cast<double>(im)}; }
constexpr Complex<double> operator""_id(unsigned long long im) {
  return {0.0, static_cast<double>(im)};
}
}  // namespace complex_literals

}  // namespace oneagent

namespace std {

template <class T>
constexpr T real(const oneagent::Complex<T>& z) {
  return z.real();
}
template <class T>
constexpr T imag(const oneagent::Complex<T>& z) {
  return z.imag();
}
template <class T>
constexpr T norm(const oneagent::Complex<T>& z) {
  return z.real() * z.real() + z.imag() * z.imag();
}
template <class T>
constexpr oneagent::Complex<T> conj(const oneagent::Complex<T>& z) {
  return {z.real(), -z.imag()};
}
template <class T>
T abs(const oneagent::Complex<T>& z) {
  return abs(static_cast<complex<T>>(z));
}
template <class T>
T arg(const oneagent::Complex<T>& z) {
  return arg(static_cast<complex<T>>(z));
}
#define OA_COMPLEX_FUNCTION(name)                            \
  template <class T>                                         \
  oneagent::Complex<T> name(const oneagent::Complex<T>& z) { \
    return name(static_cast<complex<T>>(z));                 \
  }
OA_COMPLEX_FUNCTION(exp)
OA_COMPLEX_FUNCTION(log)
OA_COMPLEX_FUNCTION(log10)
OA_COMPLEX_FUNCTION(sqrt)
OA_COMPLEX_FUNCTION(sin)
OA_COMPLEX_FUNCTION(cos)
OA_COMPLEX_FUNCTION(tan)
OA_COMPLEX_FUNCTION(sinh)
OA_COMPLEX_FUNCTION(cosh)
OA_COMPLEX_FUNCTION(tanh)
#undef OA_COMPLEX_FUNCTION
template <class T>
oneagent::Complex<T> pow(const oneagent::Complex<T>& z, const oneagent::Complex<T>& w) {
  return pow(static_cast<complex<T>>(z), static_cast<complex<T>>(w));
}

}  // namespace std
