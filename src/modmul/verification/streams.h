// One verilated design with any number of streams (valid, ready and fields), see streams.cpp.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "verilated.h"
#if VM_TRACE
#include "verilated_vcd_c.h"
#endif

namespace modmul {

// A port of any width: little endian, in as many bytes as Verilator gives it.
struct Field {
    void* at;
    size_t bytes;
    unsigned bits;
};

struct Stream {
    bool input;
    uint8_t *valid, *ready;
    std::vector<Field> fields;  // a beat is packed in this order

    unsigned bits() const {
        unsigned sum = 0;
        for (const Field& field : fields) sum += field.bits;
        return sum;
    }
    size_t bytes() const { return (bits() + 7) / 8; }
};

class Model {
  public:
    virtual ~Model() = default;
    virtual void eval() = 0;
    virtual void final() = 0;
#if VM_TRACE
    virtual void trace(VerilatedVcdC* file) = 0;
#endif
    uint8_t *clk = nullptr, *rst = nullptr;
    std::vector<Stream> streams;
};

template <class Data> Field field(Data& data, unsigned bits) {
    return Field{&data, sizeof(data), bits};
}

// list: fills in the streams of the model.
template <class Top> class VerilatedDesign final : public Model {
  public:
    VerilatedDesign(VerilatedContext* context, std::vector<Stream> (*list)(Top&)) : top(context, "") {
        clk = &top.clk;
        rst = &top.rst;
        streams = list(top);
    }
    void eval() override { top.eval(); }
    void final() override { top.final(); }
#if VM_TRACE
    void trace(VerilatedVcdC* file) override { top.trace(file, 99); }
#endif

  private:
    Top top;
};

using Maker = std::unique_ptr<Model> (*)(VerilatedContext* context);
extern const Maker makers[];
extern const size_t designs;

}  // namespace modmul
