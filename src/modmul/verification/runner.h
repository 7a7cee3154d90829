// A verilated design with one clock, and what every driver does with it: power-up, clock, reset,
// waveform.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "bits.h"
#include "verilated.h"
#if VM_TRACE
#include "verilated_vcd_c.h"
#endif

namespace modmul {

// What a runner needs of a design; a driver derives a class with the other ports from it.
class Clocked {
  public:
    virtual ~Clocked() = default;
    virtual void eval() = 0;
    virtual void final() = 0;
    // All that is stored in the design, its ports among it.
    virtual std::pair<uint8_t*, size_t> state() = 0;
#if VM_TRACE
    virtual void trace(VerilatedVcdC* file) = 0;
#endif
    uint8_t *clk = nullptr, *rst = nullptr;
    uint8_t* clk_en = nullptr;  // of designs with a clock enable
};

template <class Top> auto enable_of(Top& top, int) -> decltype(&top.clk_en) { return &top.clk_en; }
template <class Top> uint8_t* enable_of(Top&, long) { return nullptr; }

// Model: derived from Clocked.  Top: the class that Verilator made of the design.
template <class Model, class Top> class Verilated : public Model {
  public:
    explicit Verilated(VerilatedContext* context) : top(context, "") {
        this->clk = &top.clk;
        this->rst = &top.rst;
        this->clk_en = enable_of(top, 0);
    }
    void eval() override { top.eval(); }
    void final() override { top.final(); }
    std::pair<uint8_t*, size_t> state() override {
        auto* symbols = top.rootp->vlSymsp;  // holds the modules, one behind the other
        auto* first = reinterpret_cast<uint8_t*>(top.rootp);
        return {first, size_t(reinterpret_cast<uint8_t*>(symbols + 1) - first)};
    }
#if VM_TRACE
    void trace(VerilatedVcdC* file) override { top.trace(file, 99); }
#endif

  protected:
    Top top;
};

template <class Model> class Runner {
  public:
    // seed: of power-up values that nothing defines.  waveform: file to write, or empty.
    // count, arguments: of the command; the design may ask for those that begin with +.
    Runner(std::unique_ptr<Model> (*make)(VerilatedContext*), uint64_t seed,
           const std::string& waveform, int count, char** arguments) {
        context.commandArgs(count, arguments);
        context.randReset(2);
        context.randSeed(int(seed % 0x7fffffff) + 1);
#if VM_TRACE
        context.traceEverOn(true);
#endif
        model = make(&context);
#if VM_TRACE
        if (!waveform.empty()) {
            trace = std::make_unique<VerilatedVcdC>();
            model->trace(trace.get());
            trace->open(waveform.c_str());
        }
#endif
        *model->clk = 0;
        *model->rst = 0;
        if (model->clk_en) *model->clk_en = 1;
        model->eval();
    }

    ~Runner() {
        model->final();
#if VM_TRACE
        if (trace) trace->close();
#endif
    }

  protected:
    void settle() {
        *model->clk = 0;
        model->eval();
        dump();
    }

    void tick() {
        pause();
        rise();
        ++cycle;
    }

    // Some cycles of reset, after which cycles are counted from 0.
    void hold_reset() {
        pauses = Random(1);
        *model->rst = 1;
        for (int i = 0; i < 4; ++i) {
            settle();
            tick();
        }
        *model->rst = 0;
        cycle = 0;
    }

    VerilatedContext context;
    std::unique_ptr<Model> model;
    uint64_t cycle = 0;

  private:
    Random pauses{1};
#if VM_TRACE
    std::unique_ptr<VerilatedVcdC> trace;
#endif

    void rise() {
        *model->clk = 1;
        model->eval();
        dump();
    }

    // Edges of the clock at random that the clock enable makes ineffective.  They do not count.
    void pause() {
        if (!model->clk_en) return;
        while (pauses.chance(64)) {
            *model->clk_en = 0;
            settle();
            rise();
            *model->clk_en = 1;
            settle();
        }
    }

    void dump() {
#if VM_TRACE
        if (trace) trace->dump(context.time());
        context.timeInc(5);
#endif
    }
};

}  // namespace modmul
