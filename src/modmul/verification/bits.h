// Numbers packed bit by bit, and a random generator: what the drivers of all simulators share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace modmul {

constexpr size_t SLACK = 16;  // bytes behind every buffer, so that 64 bits can be read anywhere

// Bits offset .. offset + bits - 1 of `from` as 32-bit words.
inline void unpack(const uint8_t* from, size_t offset, unsigned bits, uint32_t* words) {
    for (; bits; ++words, offset += 32) {
        uint64_t window;
        std::memcpy(&window, from + (offset >> 3), 8);
        *words = uint32_t(window >> (offset & 7));
        if (bits < 32) *words &= (uint32_t(1) << bits) - 1;
        bits -= bits < 32 ? bits : 32;
    }
}

// The inverse, into zeroed memory.
inline void pack(uint8_t* to, size_t offset, unsigned bits, const uint32_t* words) {
    for (; bits; ++words, offset += 32) {
        uint64_t window;
        std::memcpy(&window, to + (offset >> 3), 8);
        window |= uint64_t(*words) << (offset & 7);
        std::memcpy(to + (offset >> 3), &window, 8);
        bits -= bits < 32 ? bits : 32;
    }
}

class Random {  // xorshift64*
  public:
    explicit Random(uint64_t seed) : state(seed * 2 + 1) {}
    uint32_t next() {
        state ^= state >> 12;
        state ^= state << 25;
        state ^= state >> 27;
        return uint32_t((state * 0x2545F4914F6CDD1DULL) >> 32);
    }
    bool chance(uint32_t of256) { return of256 && (next() & 255) < of256; }
    bool operator==(const Random& other) const { return state == other.state; }

  private:
    uint64_t state;
};

}  // namespace modmul
