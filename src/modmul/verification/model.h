// One verilated harness (see harness.py), with the same ports whatever the design is.
// Only this is compiled for each design; what drives it (bench.h) is compiled once.
#pragma once

#include <cstdint>
#include <memory>

#include "verilated.h"
#if VM_TRACE
#include "verilated_vcd_c.h"
#endif

namespace modmul {

// A port of any width: little endian, in as many bytes as Verilator gives it.
struct Port {
    void* at;
    size_t bytes;
};

struct Ports {
    uint8_t *clk, *rst;
    uint8_t *modulus_valid, *modulus_ready, *modulus_first, *modulus_last;
    uint8_t *operand_valid, *operand_ready, *operand_first, *operand_last;
    uint8_t *result_valid, *result_ready, *result_first, *result_last;
    uint8_t* operand_square;
    Port modulus_data, operand_a, operand_b, operand_a_carry, operand_b_carry;
    Port result_data, result_carry;
};

class Model {
  public:
    virtual ~Model() = default;
    virtual void eval() = 0;
    virtual void final() = 0;
#if VM_TRACE
    virtual void trace(VerilatedVcdC* file) = 0;
#endif
    Ports ports{};
};

template <class Top> class VerilatedDesign final : public Model {
  public:
    explicit VerilatedDesign(VerilatedContext* context) : top(context, "") {
        ports = Ports{
            &top.clk, &top.rst,
            &top.modulus_valid, &top.modulus_ready, &top.modulus_first, &top.modulus_last,
            &top.operand_valid, &top.operand_ready, &top.operand_first, &top.operand_last,
            &top.result_valid, &top.result_ready, &top.result_first, &top.result_last,
            &top.operand_square,
            port(top.modulus_data), port(top.operand_a), port(top.operand_b),
            port(top.operand_a_carry), port(top.operand_b_carry),
            port(top.result_data), port(top.result_carry),
        };
    }
    void eval() override { top.eval(); }
    void final() override { top.final(); }
#if VM_TRACE
    void trace(VerilatedVcdC* file) override { top.trace(file, 99); }
#endif

  private:
    template <class Data> static Port port(Data& data) { return Port{&data, sizeof(data)}; }
    Top top;
};

using Maker = std::unique_ptr<Model> (*)(VerilatedContext* context);
extern const Maker makers[];
extern const size_t designs;

}  // namespace modmul
