// Drives one design cycle by cycle: operands and moduli in, results out.
//
// A request is a sequence of events (a product or a modulus, each with a gap before it) with all
// their data; the response says in which cycle each beat was taken and what came out.  Nothing is
// judged here but the protocol: the products are checked by whoever sent the request.
//
// All numbers are little endian, operands are packed: beat j of `beat` bits begins at bit j * beat.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "bits.h"
#include "model.h"

namespace modmul {

enum RequestFlag : uint32_t {
    STREAM = 1,         // inputs and outputs may pause anywhere; otherwise a bare core
    CARRY_OPERANDS = 2,
    CARRY_RESULTS = 4,
    DROPS = 8,          // a modulus drops the products in flight
    PROBE = 16,         // check that a core's `ready` does not depend on `valid` (slower)
    CONCURRENT = 32,    // after the first modulus the two input streams run independently
    HOLD = 64,          // no result is taken until no input moves any more, then all are
};

enum EventFlag : uint8_t {
    QUIET = 1,  // wait until all products in flight are out
    SLOTS = 2,  // the gap counts cycles in which `ready` was high: slots left empty
    SQUARE = 4,  // what the product is declared as
    ADD = 8,
    SUBTRACT = 16,
};

enum Status : uint32_t { DONE = 0, STUCK = 1, FLOODED = 2 };  // more results than products

enum Fault : uint32_t {
    READY_DROPPED = 1,       // a bare core refused a later beat of an operand or modulus
    READY_SEES_VALID = 2,    // `ready` of a bare core changed together with `valid`
    FIRST_MISSING = 3,       // a result began without `first`
    LAST_WRONG = 4,          // `last` missing, or where it does not belong
    RESULT_WITHDRAWN = 5,    // a waiting result lost `valid` or changed
    RESULT_REFUSED = 6,      // a protected design reports a fault
};

#pragma pack(push, 1)
struct Request {
    uint32_t magic, design, flags;
    uint32_t events, products, constants;
    uint32_t operand_beat, result_beat, modulus_beat, beats;
    uint32_t operand_bytes, result_bytes, modulus_bytes;
    uint32_t beat_stall, back_pressure;  // chance of a pause in each cycle, in 1/256
    uint32_t patience, limit;            // cycles of silence that end a run; that mean it is stuck
    uint64_t seed;
};
struct Event {
    uint8_t is_modulus, flags;
    uint16_t beats;  // of the modulus, or of each operand and the result
    uint32_t gap;
};
struct Response {
    uint32_t magic, status, accepted, results, faults, reserved;
    uint64_t cycles;
};
struct Taken {
    uint64_t first, last;
};
struct Result {
    uint64_t first, last;
    uint32_t beats, reserved;
};
struct Complaint {
    uint64_t cycle;
    uint32_t fault, reserved;
};
#pragma pack(pop)

constexpr uint32_t MAGIC = 0x6d6d7631;
constexpr size_t MAX_COMPLAINTS = 16;

struct Input {
    Request request;
    std::vector<Event> events;
    std::vector<uint8_t> operands;   // per product: a, b [, a_carry, b_carry]
    std::vector<uint8_t> constants;  // per beat of each modulus
};

struct Output {
    Response response;
    std::vector<Taken> taken;
    std::vector<Result> results;
    std::vector<Complaint> complaints;
    std::vector<uint8_t> data;  // per result: data [, carry]
};

class Bench : Runner<Model> {
  public:
    using Runner::Runner;

    void run(const Input& input, Output& output) {
        in = &input;
        out = &output;
        q = &input.request;
        stream = q->flags & STREAM;
        random = Random(q->seed);
        prepare();
        reset();
        while (!finished()) {
            offer(moduli);
            offer(operands);
            hold();
            *top->result_ready = !stream || !(holding || random.chance(q->back_pressure));
            settle();
            ++stuck;
            ++quiet;
            ++still;
            accept(moduli, *top->modulus_ready);
            accept(operands, *top->operand_ready);
            collect();
            tick();
        }
        idle(moduli);
        idle(operands);
        output.response.accepted = uint32_t(operands.item);
        output.response.results = uint32_t(output.results.size());
        output.response.faults = uint32_t(output.complaints.size());
        output.response.cycles = cycle;
    }

  private:
    const Ports* top = &model->ports;
    const Input* in = nullptr;
    Output* out = nullptr;
    const Request* q = nullptr;
    Random random{1};
    std::vector<uint32_t> words, held;
    std::vector<uint16_t> lengths;  // beats of every product
    bool stream = false, was_held = false;
    bool holding = false;
    uint64_t quiet = 0, stuck = 0, still = 0;  // still: since an input beat was taken
    size_t completed = 0, outstanding = 0, result_beat = 0;

    // One of the two input streams: what it offers next.
    struct Channel {
        bool is_modulus;
        bool offering;
        size_t event;  // index of its next event, events.size() when there is none
        size_t item;   // products, or beats of moduli, taken so far
        size_t beat;   // beats of this event taken so far
        uint64_t gap;  // still to wait
    };
    Channel moduli{true, false, 0, 0, 0, 0}, operands{false, false, 0, 0, 0, 0};

    void prepare() {
        size_t widest = std::max({q->operand_beat, q->result_beat, q->modulus_beat});
        words.assign(widest / 32 + 8, 0);
        held.assign(2 * words.size(), 0);
        was_held = false;
        cycle = completed = outstanding = result_beat = quiet = stuck = still = 0;
        holding = q->flags & HOLD;
        moduli = Channel{true, false, 0, 0, 0, 0};
        operands = Channel{false, false, 0, 0, 0, 0};
        find_event(moduli);
        find_event(operands);
        lengths.clear();
        for (const Event& event : in->events)
            if (!event.is_modulus) lengths.push_back(event.beats);
        out->response = Response{MAGIC, DONE, 0, 0, 0, 0, 0};
        out->taken.assign(q->events, Taken{0, 0});
        out->results.clear();
        out->results.reserve(q->products + 8);
        out->complaints.clear();
        out->data.clear();
        out->data.reserve((q->products + 8) * result_size() + SLACK);
    }

    size_t operand_size() const { return q->operand_bytes * (q->flags & CARRY_OPERANDS ? 4 : 2); }
    size_t result_size() const { return q->result_bytes * (q->flags & CARRY_RESULTS ? 2 : 1); }

    void reset() {
        idle(moduli);
        idle(operands);
        *top->result_ready = 1;
        hold_reset();
    }

    bool finished() {
        if (completed == in->events.size() && quiet >= q->patience) return true;
        if (stuck >= q->limit)
            out->response.status = STUCK;
        else if (out->results.size() > q->products)
            out->response.status = FLOODED;
        return out->response.status != DONE;
    }

    void set(const Port& port, const uint8_t* from, size_t offset, unsigned bits) {
        unpack(from, offset, bits, words.data());
        std::memcpy(port.at, words.data(), port.bytes);
        std::memset(words.data(), 0, (bits + 31) / 32 * 4);
    }

    void scramble(const Port& port, unsigned bits) {
        for (unsigned i = 0; i < (bits + 31) / 32; ++i) words[i] = random.next();
        if (bits % 32) words[bits / 32] &= (uint32_t(1) << bits % 32) - 1;
        std::memcpy(port.at, words.data(), port.bytes);
        std::memset(words.data(), 0, (bits + 31) / 32 * 4);
    }

    // The next event of this channel, beginning with channel.event.
    void find_event(Channel& channel) {
        size_t& event = channel.event;
        while (event < in->events.size() && in->events[event].is_modulus != channel.is_modulus)
            ++event;
        channel.beat = 0;
        channel.gap = event < in->events.size() ? in->events[event].gap : 0;
    }

    // Nothing offered: what lies on the other wires must not matter.
    void idle(const Channel& channel) {
        const uint32_t noise = random.next();
        if (channel.is_modulus) {
            *top->modulus_valid = 0;
            *top->modulus_first = noise & 1;
            *top->modulus_last = noise >> 1 & 1;
            scramble(top->modulus_data, q->modulus_beat);
            return;
        }
        *top->operand_valid = 0;
        *top->operand_first = noise & 1;
        *top->operand_last = noise >> 1 & 1;
        *top->operand_square = noise >> 2 & 1;
        *top->operand_add = noise >> 3 & 1;
        *top->operand_subtract = noise >> 4 & 1;
        scramble(top->operand_a, q->operand_beat);
        scramble(top->operand_b, q->operand_beat);
        if (!(q->flags & CARRY_OPERANDS)) return;
        scramble(top->operand_a_carry, q->operand_beat);
        scramble(top->operand_b_carry, q->operand_beat);
    }

    // Whether the turn of this channel's event has come.
    bool its_turn(const Channel& channel) const {
        if (channel.event == in->events.size()) return false;
        return channel.event == completed || ((q->flags & CONCURRENT) && completed);
    }

    bool wants_to_offer(Channel& channel) {
        if (!its_turn(channel)) return false;
        if (channel.beat) return !random.chance(q->beat_stall);
        const Event& event = in->events[channel.event];
        if ((event.flags & QUIET) && outstanding && quiet < q->patience) return false;
        if (!channel.gap) return true;
        if (!(event.flags & SLOTS)) --channel.gap;
        return false;
    }

    void offer(Channel& channel) {
        if (channel.offering) return;  // once valid, until taken
        uint8_t& valid = channel.is_modulus ? *top->modulus_valid : *top->operand_valid;
        channel.offering = wants_to_offer(channel);
        if (!channel.offering) {
            if (valid) idle(channel);
            return;
        }
        if ((q->flags & PROBE) && !stream) probe(channel);
        valid = 1;
        if (channel.is_modulus)
            put_modulus();
        else
            put_operand();
    }

    void probe(const Channel& channel) {
        idle(channel);
        settle();
        const bool operand = *top->operand_ready, modulus = *top->modulus_ready;
        (channel.is_modulus ? *top->modulus_valid : *top->operand_valid) = 1;
        settle();
        if (operand != bool(*top->operand_ready) || modulus != bool(*top->modulus_ready))
            complain(READY_SEES_VALID);
    }

    void put_modulus() {
        *top->modulus_first = moduli.beat == 0;
        *top->modulus_last = moduli.beat + 1 == in->events[moduli.event].beats;
        const uint8_t* from = in->constants.data() + moduli.item * q->modulus_bytes;
        set(top->modulus_data, from, 0, q->modulus_beat);
    }

    void put_operand() {
        const Event& event = in->events[operands.event];
        *top->operand_first = operands.beat == 0;
        *top->operand_last = operands.beat + 1 == event.beats;
        *top->operand_square = bool(event.flags & SQUARE);
        *top->operand_add = bool(event.flags & ADD);
        *top->operand_subtract = bool(event.flags & SUBTRACT);
        const uint8_t* from = in->operands.data() + operands.item * operand_size();
        const size_t offset = operands.beat * q->operand_beat, bytes = q->operand_bytes;
        set(top->operand_a, from, offset, q->operand_beat);
        set(top->operand_b, from + bytes, offset, q->operand_beat);
        if (q->flags & CARRY_OPERANDS) {
            set(top->operand_a_carry, from + 2 * bytes, offset, q->operand_beat);
            set(top->operand_b_carry, from + 3 * bytes, offset, q->operand_beat);
        }
    }

    void accept(Channel& channel, bool ready) {
        if (!channel.offering) {
            if (ready && channel.gap && its_turn(channel) && (in->events[channel.event].flags & SLOTS))
                --channel.gap;
            return;
        }
        if (!ready) {
            if (channel.beat && !stream) complain(READY_DROPPED);
            return;
        }
        channel.offering = false;
        stuck = quiet = still = 0;
        if (!channel.beat) out->taken[channel.event].first = cycle;
        if (!channel.beat && channel.is_modulus && (q->flags & DROPS)) outstanding = 0;
        if (channel.is_modulus) ++channel.item;
        const Event& event = in->events[channel.event];
        if (++channel.beat < event.beats) return;
        out->taken[channel.event].last = cycle;
        if (!channel.is_modulus) ++channel.item, ++outstanding;
        ++completed;
        ++channel.event;
        find_event(channel);
    }

    // Full to the brim, then empty, in turn.
    void hold() {
        if (!(q->flags & HOLD)) return;
        if (holding ? still > q->patience : !outstanding) holding = !holding;
    }

    // What waits must stay as it is.
    void check_held() {
        const Port data = top->result_data, carry = top->result_carry;
        uint8_t* kept = reinterpret_cast<uint8_t*>(held.data());
        if (was_held
            && (!*top->result_valid || std::memcmp(kept, data.at, data.bytes)
                || std::memcmp(kept + data.bytes, carry.at, carry.bytes)))
            complain(RESULT_WITHDRAWN);
        was_held = *top->result_valid && !*top->result_ready;
        if (!was_held) return;
        std::memcpy(kept, data.at, data.bytes);
        std::memcpy(kept + data.bytes, carry.at, carry.bytes);
    }

    void collect() {
        if (stream) check_held();
        if (*top->result_fault) complain(RESULT_REFUSED);
        if (!*top->result_valid) return;
        stuck = quiet = 0;
        if (!*top->result_ready) return;
        if (*top->result_first) result_beat = 0;
        if (!result_beat) {
            if (!*top->result_first) complain(FIRST_MISSING);
            out->results.push_back(Result{cycle, 0, 0, 0});
            out->data.resize(out->results.size() * result_size() + SLACK);
        }
        store();
        ++result_beat;
        bool complete = result_beat == expected_beats();
        if (complete != bool(*top->result_last)) complain(LAST_WRONG);
        if (!complete) return;
        if (outstanding) --outstanding;
        result_beat = 0;
    }

    // Beats of the result that is coming: of the product in its place, where none can vanish.
    size_t expected_beats() const {
        const size_t place = out->results.size() - 1;
        return q->flags & DROPS || place >= lengths.size() ? q->beats : lengths[place];
    }

    void store() {
        uint8_t* to = out->data.data() + (out->results.size() - 1) * result_size();
        const size_t offset = result_beat * q->result_beat;
        std::memcpy(words.data(), top->result_data.at, top->result_data.bytes);
        pack(to, offset, q->result_beat, words.data());
        if (q->flags & CARRY_RESULTS) {
            std::memcpy(words.data(), top->result_carry.at, top->result_carry.bytes);
            pack(to + q->result_bytes, offset, q->result_beat, words.data());
        }
        std::memset(words.data(), 0, (q->result_beat + 31) / 32 * 4);
        out->results.back().last = cycle;
        out->results.back().beats = uint32_t(result_beat + 1);
    }

    void complain(Fault fault) {
        if (out->complaints.size() < MAX_COMPLAINTS)
            out->complaints.push_back(Complaint{cycle, fault, 0});
    }
};

}  // namespace modmul
