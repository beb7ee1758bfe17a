// c10::List and c10::Dict: lists and dictionaries that are handles (copies share what they hold)
// and turn into IValue. A key or index that is not there is a std::out_of_range.
#pragma once

#include <initializer_list>
#include <map>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include "core/base/array_ref.h"
#include "core/io/ivalue.h"

namespace oneagent::containers {

template <class T>
class List {
 public:
  using value_type = T;
  using iterator = typename std::vector<T>::iterator;

  List() : values_(std::make_shared<std::vector<T>>()) {}
  List(std::initializer_list<T> values) : values_(std::make_shared<std::vector<T>>(values)) {}
  explicit List(ArrayRef<T> values)
      : values_(std::make_shared<std::vector<T>>(values.begin(), values.end())) {}
  explicit List(const std::vector<T>& values) : values_(std::make_shared<std::vector<T>>(values)) {}

  size_t size() const { return values_->size(); }
  bool empty() const { return values_->empty(); }
  T get(size_t i) const { return values_->at(i); }
  T extract(size_t i) const { return std::exchange(values_->at(i), T()); }
  typename std::vector<T>::reference operator[](size_t i) const { return values_->at(i); }
  void set(size_t i, T value) const { values_->at(i) = std::move(value); }
  void push_back(T value) const { values_->push_back(std::move(value)); }
  template <class... Parts>
  void emplace_back(Parts&&... parts) const {
    values_->emplace_back(std::forward<Parts>(parts)...);
  }
  void append(const List& other) const {
    const std::vector<T> more = *other.values_;
    values_->insert(values_->end(), more.begin(), more.end());
  }
  iterator insert(iterator at, T value) const { return values_->insert(at, std::move(value)); }
  iterator erase(iterator at) const { return values_->erase(at); }
  void pop_back() const { values_->pop_back(); }
  void clear() const { values_->clear(); }
  void reserve(size_t n) const { values_->reserve(n); }
  void resize(size_t n) const { values_->resize(n); }
  void resize(size_t n, const T& value) const { values_->resize(n, value); }
  iterator begin() const { return values_->begin(); }
  iterator end() const { return values_->end(); }
  std::vector<T> vec() const { return *values_; }
  List copy() const { return List(*values_); }
  bool is(const List& other) const { return values_ == other.values_; }
  size_t use_count() const { return static_cast<size_t>(values_.use_count()); }
  friend bool operator==(const List& a, const List& b) { return *a.values_ == *b.values_; }
  friend bool operator!=(const List& a, const List& b) { return !(a == b); }
  operator IValue() const { return IValue(*values_); }  // NOLINT: implicit
  operator std::vector<T>() const { return *values_; }  // NOLINT

 private:
  std::shared_ptr<std::vector<T>> values_;
};

// Entries stay in the order in which they came.
template <class Key, class Value>
class Dict {
 public:
  class Entry {
   public:
    Entry(Key key, Value value) : key_(std::move(key)), value_(std::move(value)) {}
    const Key& key() const { return key_; }
    const Value& value() const { return value_; }
    void setValue(Value value) { value_ = std::move(value); }

   private:
    Key key_;
    Value value_;
  };
  using iterator = typename std::vector<Entry>::iterator;

  size_t size() const { return held_->entries.size(); }
  bool empty() const { return held_->entries.empty(); }
  bool contains(const Key& key) const { return held_->places.count(key) != 0; }
  iterator find(const Key& key) const {
    const auto place = held_->places.find(key);
    return place == held_->places.end() ? end() : begin() + static_cast<ptrdiff_t>(place->second);
  }
  const Value& at(const Key& key) const {
    const iterator found = find(key);
    if (found == end()) throw std::out_of_range("Dict: no such key");
    return found->value();
  }
  std::pair<iterator, bool> insert(Key key, Value value) const {  // what is there stays
    const auto [place, added] = held_->places.emplace(key, size());
    if (added) held_->entries.emplace_back(std::move(key), std::move(value));
    return {begin() + static_cast<ptrdiff_t>(place->second), added};
  }
  std::pair<iterator, bool> insert_or_assign(Key key, Value value) const {
    auto result = insert(std::move(key), value);
    if (!result.second) result.first->setValue(std::move(value));
    return result;
  }
  size_t erase(const Key& key) const {
    const auto place = held_->places.find(key);
    if (place == held_->places.end()) return 0;
    const size_t at = place->second;
    held_->places.erase(place);
    held_->entries.erase(begin() + static_cast<ptrdiff_t>(at));
    for (auto& [other, where] : held_->places)
      if (where > at) --where;
    return 1;
  }
  void erase(iterator at) const { erase(Key(at->key())); }
  void clear() const { *held_ = Held(); }
  void reserve(size_t n) const { held_->entries.reserve(n); }
  iterator begin() const { return held_->entries.begin(); }
  iterator end() const { return held_->entries.end(); }
  Dict copy() const {
    Dict out;
    *out.held_ = *held_;
    return out;
  }
  bool is(const Dict& other) const { return held_ == other.held_; }
  template <class K = Key, std::enable_if_t<std::is_same_v<K, std::string>, int> = 0>
  operator IValue() const {  // NOLINT: implicit
    auto out = std::make_shared<IValue::Dict>();
    for (const Entry& entry : held_->entries) out->emplace_back(entry.key(), IValue(entry.value()));
    return IValue(std::move(out));
  }

 private:
  struct Held {
    std::vector<Entry> entries;
    std::map<Key, size_t> places;
  };
  std::shared_ptr<Held> held_ = std::make_shared<Held>();
};

}  // namespace oneagent::containers

namespace oneagent {

inline containers::Dict<IValue, IValue> IValue::toGenericDict() const {
  containers::Dict<IValue, IValue> out;
  for (const auto& [key, value] : entries()) out.insert(key, value);
  return out;
}
inline containers::List<IValue> IValue::toList() const {
  return containers::List<IValue>(toListRef());
}

}  // namespace oneagent
