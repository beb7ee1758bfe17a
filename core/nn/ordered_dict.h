// A dictionary that keeps the order of insertion. Iteration gives Items: item.key(), item.value(),
// *item.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/base/check.h"

namespace oneagent {

template <class Key, class Value>
class OrderedDict {
 public:
  class Item {
   public:
    Item(Key key, Value value) : pair_(std::move(key), std::move(value)) {}
    const Key& key() const noexcept { return pair_.first; }
    Value& value() noexcept { return pair_.second; }
    const Value& value() const noexcept { return pair_.second; }
    const std::pair<Key, Value>& pair() const noexcept { return pair_; }
    Value& operator*() { return pair_.second; }
    const Value& operator*() const { return pair_.second; }
    Value* operator->() { return &pair_.second; }
    const Value* operator->() const { return &pair_.second; }

   private:
    std::pair<Key, Value> pair_;
  };
  using Iterator = typename std::vector<Item>::iterator;
  using ConstIterator = typename std::vector<Item>::const_iterator;

  explicit OrderedDict(std::string key_description = "Key")  // the word for a key in errors
      : key_description_(std::move(key_description)) {}
  OrderedDict(std::initializer_list<Item> items) : OrderedDict("Key") {  // NOLINT: implicit
    for (const Item& item : items) insert(item.key(), item.value());
  }

  const std::string& key_description() const noexcept { return key_description_; }
  size_t size() const noexcept { return items_.size(); }
  bool is_empty() const noexcept { return items_.empty(); }
  Iterator begin() { return items_.begin(); }
  Iterator end() { return items_.end(); }
  ConstIterator begin() const { return items_.begin(); }
  ConstIterator end() const { return items_.end(); }

  Item& front() { return items_[checked(0)]; }
  const Item& front() const { return items_[checked(0)]; }
  Item& back() { return items_[checked(size() - 1)]; }
  const Item& back() const { return items_[checked(size() - 1)]; }
  Item& operator[](size_t index) { return items_[checked(index)]; }
  const Item& operator[](size_t index) const { return items_[checked(index)]; }
  Value& operator[](const Key& key) { return items_[place_of(key)].value(); }
  const Value& operator[](const Key& key) const { return items_[place_of(key)].value(); }
  Value* find(const Key& key) noexcept {
    const auto place = index_.find(key);
    return place == index_.end() ? nullptr : &items_[place->second].value();
  }
  const Value* find(const Key& key) const noexcept {
    return const_cast<OrderedDict*>(this)->find(key);
  }
  bool contains(const Key& key) const noexcept { return index_.count(key) > 0; }

  // The key must be new.
  template <class K, class V>
  Value& insert(K&& key, V&& value) {
    return add(Key(std::forward<K>(key)), Value(std::forward<V>(value)));
  }
  Value& insert(Key key, Value&& value) { return add(std::move(key), std::move(value)); }
  void update(const OrderedDict& other) {
    for (const Item& item : other) insert(item.key(), item.value());
  }
  void update(OrderedDict&& other) {
    for (Item& item : other) insert(item.key(), std::move(item.value()));
  }
  void erase(const Key& key) {
    const auto place = index_.find(key);
    OA_REQUIRE(place != index_.end(), "Key '", key, "' doesn't exist");
    const size_t gone = place->second;
    index_.erase(place);
    items_.erase(items_.begin() + static_cast<ptrdiff_t>(gone));
    for (auto& [name, index] : index_) index -= index > gone;
  }
  void clear() {
    index_.clear();
    items_.clear();
  }
  void reserve(size_t capacity) {
    index_.reserve(capacity);
    items_.reserve(capacity);
  }

  const std::vector<Item>& items() const noexcept { return items_; }
  std::vector<Key> keys() const {
    return listed<Key>([](const Item& item) { return item.key(); });
  }
  std::vector<Value> values() const {
    return listed<Value>([](const Item& item) { return item.value(); });
  }
  std::vector<std::pair<Key, Value>> pairs() const {
    return listed<std::pair<Key, Value>>([](const Item& item) { return item.pair(); });
  }

  friend bool operator==(const OrderedDict& a, const OrderedDict& b) {
    return a.size() == b.size() &&
           std::equal(a.begin(), a.end(), b.begin(),
                      [](const Item& x, const Item& y) { return x.pair() == y.pair(); });
  }

 private:
  Value& add(Key key, Value value) {
    OA_REQUIRE(!contains(key), key_description_, " '", key, "' already defined");
    index_.emplace(key, items_.size());
    return items_.emplace_back(std::move(key), std::move(value)).value();
  }
  size_t checked(size_t index) const {
    OA_REQUIRE(index < size(), "Index ", index, " is out of bounds of a dictionary of ", size());
    return index;
  }
  size_t place_of(const Key& key) const {
    const auto place = index_.find(key);
    OA_REQUIRE(place != index_.end(), key_description_, " '", key, "' is not defined");
    return place->second;
  }
  template <class T, class Get>
  std::vector<T> listed(Get get) const {
    std::vector<T> out;
    out.reserve(size());
    for (const Item& item : items_) out.push_back(get(item));
    return out;
  }

  std::unordered_map<Key, size_t> index_;
  std::vector<Item> items_;
  std::string key_description_;
};

}  // namespace oneagent
