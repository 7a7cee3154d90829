// Drives designs whose ports are streams: requests on standard input, responses on standard output,
// until the input ends.  Arguments: seed of the power-up values [, file for the waveform].
//
// A request holds, for every input stream, beats in order, each with what it waits for; the response
// says in which cycle each beat of each stream went over, and what came out.  Nothing is judged here
// but the protocol.  All numbers are little endian, the fields of a beat packed bit by bit.
//
// A run can be kept: then moments of it stay in memory.  A run that differs from it by one beat, at a
// cycle that is given, begins at the last moment before, and ends as soon as it has come back to one.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>

#include "bits.h"
#include "streams.h"

using namespace modmul;

namespace {

enum Status : uint32_t { DONE = 0, STUCK = 1, FLOODED = 2 };  // FLOODED: more beats than expected

enum Fault : uint32_t {
    WITHDRAWN = 1,   // an output lost `valid` before its beat was taken
    CHANGED = 2,     // the beat that an output offers changed before it was taken
};

constexpr uint32_t MAGIC = 0x6d6d7333;
constexpr size_t MAX_COMPLAINTS = 16;
constexpr size_t MAX_MOMENTS = 256, MIN_MOMENTS = 8, MAX_KEPT = 16 << 20;  // bytes of all moments

enum Kind : uint32_t { RUN = 0, KEEP = 1, STRIKE = 2 };  // KEEP: in a new model, as at power-up

#pragma pack(push, 1)
struct Request {
    uint32_t magic, design, streams, patience;  // patience: cycles of silence that end a run
    uint64_t limit, seed;                       // limit: cycles of silence that mean it is stuck
    uint32_t kind, number;                      // number: of the run that is kept
};
struct Strike {  // follows a request to STRIKE, and then the beat
    uint32_t stream, cycle;
};
struct Plan {
    uint32_t beats;  // to be offered, or expected
    uint32_t pause;  // chance of a pause in each cycle, in 1/256
};
struct Wait {  // what a beat waits for, before its gap begins
    uint32_t gap, stream;
    uint64_t beats;  // so many must have gone over on that stream
};
struct Response {
    uint32_t magic, status, complaints, reserved;
    uint64_t cycles;
};
struct Complaint {
    uint64_t cycle;
    uint32_t stream, fault;
};
#pragma pack(pop)

// One stream during a run.
struct Channel {
    Stream* port;
    Plan plan;
    std::vector<Wait> waits;       // inputs
    std::vector<uint8_t> data;     // beats offered, or beats that came
    std::vector<uint64_t> cycles;  // when each went over
    bool offering = false;         // inputs
    uint64_t gap = 0;
    std::vector<uint8_t> held;  // outputs: what is offered and was not taken
    bool was_held = false;
    Random random{1};
    std::vector<uint8_t> rests;  // inputs: what lies on the wires when nothing is offered; or random

    size_t done() const { return cycles.size(); }
    bool finished() const { return done() >= plan.beats; }

    // Whether it goes on as another one does.
    bool goes_on_as(const Channel& other) const {
        return done() == other.done() && offering == other.offering && gap == other.gap &&
               was_held == other.was_held && held == other.held && random == other.random;
    }

    // What follows in another one that was at the same place.
    void take_rest(const Channel& other) {
        if (!port->input)
            data.insert(data.end(), other.data.begin() + done() * port->bytes(), other.data.end());
        cycles.insert(cycles.end(), other.cycles.begin() + done(), other.cycles.end());
    }
};

// A cycle of a run, before its inputs are driven.
struct Moment {
    uint64_t cycle, silent;
    std::vector<Channel> channels;
    std::vector<uint8_t> state;
};

template <class Item> void get(Item* items, size_t count) {
    if (count && std::fread(items, sizeof(Item), count, stdin) != count) std::exit(3);
}

template <class Item> void put(const Item* items, size_t count) {
    if (count && std::fwrite(items, sizeof(Item), count, stdout) != count) std::exit(4);
}

class Bench : Runner<Model> {
  public:
    using Runner::Runner;

    void run(const Request& request) {
        q = request;
        receive();
        uint64_t seed = q.seed;
        for (Channel& channel : channels) channel.random = Random(seed++);
        reset();
        silent = 0;
        struck = nullptr;
        moments.clear();
        apart = 1;
        send(simulate());
        if (q.kind == KEEP) moments.push_back(now());  // the last one
    }

    void strike() {
        Strike strike;
        get(&strike, 1);
        const Moment& before = moments[std::min<size_t>(strike.cycle / apart, moments.size() - 2)];
        const auto [state, size] = model->state();
        std::memcpy(state, before.state.data(), size);
        cycle = before.cycle;
        silent = before.silent;
        channels = before.channels;
        complaints.clear();
        struck = &channels[strike.stream];
        struck->plan.beats = 1;
        struck->waits = {Wait{0, strike.stream, 0}};
        struck->gap = strike.cycle - cycle;
        struck->rests.resize(struck->port->bytes() + SLACK);
        read(*struck->port, struck->rests.data());
        struck->data.resize(struck->port->bytes() + SLACK);
        get(struck->data.data(), struck->port->bytes());
        send(simulate());
    }

  private:
    Request q{};
    uint64_t silent = 0;
    std::vector<Channel> channels;
    std::vector<Complaint> complaints;
    Channel* struck = nullptr;  // the one with the beat that the run that is kept does not have
    std::vector<Moment> moments;
    uint64_t apart = 1;  // cycles between moments

    Status simulate() {
        Status status = DONE;
        while (status == DONE) {
            if (cycle % apart == 0) {
                if (struck && came_back()) break;
                if (!struck && q.kind == KEEP) keep();
            }
            const bool all = std::all_of(channels.begin(), channels.end(),
                                         [](const Channel& c) { return c.finished(); });
            if (all && silent >= q.patience) break;
            if (silent >= q.limit) status = STUCK;
            for (Channel& channel : channels) drive(channel);
            settle();
            ++silent;
            for (Channel& channel : channels)
                if (watch(channel)) silent = 0;
            for (const Channel& channel : channels)
                if (channel.done() > channel.plan.beats) status = FLOODED;
            tick();
        }
        for (Channel& channel : channels)
            if (channel.port->input) idle(channel);
        return status;
    }

    Moment now() {
        const auto [state, size] = model->state();
        return Moment{cycle, silent, channels, std::vector<uint8_t>(state, state + size)};
    }

    // If there are too many moments, every second one goes.
    void keep() {
        moments.push_back(now());
        const size_t most = std::max(MIN_MOMENTS, MAX_KEPT / moments[0].state.size());
        if (moments.size() < std::min(most, MAX_MOMENTS)) return;
        for (size_t i = 1; 2 * i < moments.size(); ++i) moments[i] = std::move(moments[2 * i]);
        moments.resize((moments.size() + 1) / 2);
        apart *= 2;
    }

    // Whether all is as in the run that is kept; its rest is then that of this one, too.
    bool came_back() {
        if (!struck->finished() || cycle / apart >= moments.size() - 1) return false;
        const Moment& then = moments[cycle / apart];
        const auto [state, size] = model->state();
        if (silent != then.silent || std::memcmp(state, then.state.data(), size)) return false;
        for (size_t i = 0; i < channels.size(); ++i)
            if (&channels[i] != struck && !channels[i].goes_on_as(then.channels[i])) return false;
        for (size_t i = 0; i < channels.size(); ++i)
            if (&channels[i] != struck) channels[i].take_rest(moments.back().channels[i]);
        cycle = moments.back().cycle;
        return true;
    }

    void receive() {
        if (q.streams != model->streams.size()) std::exit(6);
        channels.clear();
        complaints.clear();
        for (Stream& stream : model->streams) {
            Channel channel;
            channel.port = &stream;
            get(&channel.plan, 1);
            if (stream.input) {
                channel.waits.resize(channel.plan.beats);
                get(channel.waits.data(), channel.plan.beats);
                channel.data.resize(channel.plan.beats * stream.bytes() + SLACK);
                get(channel.data.data(), channel.plan.beats * stream.bytes());
                if (!channel.waits.empty()) channel.gap = channel.waits[0].gap;
            }
            channel.held.resize(stream.bytes());
            channels.push_back(std::move(channel));
        }
    }

    void send(uint32_t status) {
        const Response response{MAGIC, status, uint32_t(complaints.size()), 0, cycle};
        put(&response, 1);
        for (const Channel& channel : channels) {
            const uint64_t count = channel.done();
            put(&count, 1);
            put(channel.cycles.data(), count);
            if (!channel.port->input) put(channel.data.data(), count * channel.port->bytes());
        }
        put(complaints.data(), complaints.size());
        std::fflush(stdout);
    }

    void reset() {
        for (Channel& channel : channels) {
            if (channel.port->input)
                idle(channel);
            else
                *channel.port->ready = 0;
        }
        hold_reset();
    }

    void drive(Channel& channel) {
        if (!channel.port->input) {
            *channel.port->ready = !channel.random.chance(channel.plan.pause);
            return;
        }
        if (channel.offering) return;  // once valid, until taken
        channel.offering = wants_to_offer(channel);
        if (channel.offering)
            offer(channel);
        else if (*channel.port->valid)
            idle(channel);
    }

    bool wants_to_offer(Channel& channel) {
        if (channel.finished()) return false;
        const Wait& wait = channel.waits[channel.done()];
        if (channels[wait.stream].done() < wait.beats) return false;
        if (channel.gap) {
            --channel.gap;
            return false;
        }
        return !channel.random.chance(channel.plan.pause);
    }

    void offer(Channel& channel) {
        put_on(*channel.port, channel.data.data(), channel.done());
        *channel.port->valid = 1;
    }

    // The beat at this place of `from` goes on the wires.
    void put_on(const Stream& stream, const uint8_t* from, size_t place) {
        size_t offset = place * stream.bytes() * 8;
        for (const Field& field : stream.fields) {
            uint32_t* words = cleared(field.bits);
            unpack(from, offset, field.bits, words);
            std::memcpy(field.at, words, field.bytes);
            offset += field.bits;
        }
    }

    // Nothing offered: what lies on the other wires must not matter.
    void idle(Channel& channel) {
        const Stream& stream = *channel.port;
        *stream.valid = 0;
        if (&channel == struck) {
            put_on(stream, channel.rests.data(), 0);
            return;
        }
        for (const Field& field : stream.fields) {
            uint32_t* words = cleared(field.bits);
            for (unsigned i = 0; i < (field.bits + 31) / 32; ++i) words[i] = channel.random.next();
            if (field.bits % 32) words[field.bits / 32] &= (uint32_t(1) << field.bits % 32) - 1;
            std::memcpy(field.at, words, field.bytes);
        }
    }

    // The beat that an output offers.
    void read(const Stream& stream, uint8_t* to) {
        std::vector<uint8_t> packed(stream.bytes() + SLACK, 0);
        size_t offset = 0;
        for (const Field& field : stream.fields) {
            uint32_t* words = cleared(field.bits);
            std::memcpy(words, field.at, field.bytes);
            pack(packed.data(), offset, field.bits, words);
            offset += field.bits;
        }
        std::memcpy(to, packed.data(), stream.bytes());
    }

    std::vector<uint32_t> scratch;
    uint32_t* cleared(unsigned bits) {
        scratch.assign(bits / 32 + 4, 0);
        return scratch.data();
    }

    // Whether something moves on this stream: a beat goes over, or one is offered.
    bool watch(Channel& channel) {
        const Stream& stream = *channel.port;
        const bool valid = *stream.valid, passes = valid && *stream.ready;
        if (!stream.input) check_held(channel, valid, passes);
        if (!passes) return false;
        if (!stream.input) {
            channel.data.resize((channel.done() + 1) * stream.bytes());
            read(stream, channel.data.data() + channel.done() * stream.bytes());
        }
        channel.cycles.push_back(cycle);
        channel.offering = false;
        if (stream.input && !channel.finished()) channel.gap = channel.waits[channel.done()].gap;
        return true;
    }

    void check_held(Channel& channel, bool valid, bool passes) {
        if (channel.was_held && !valid) complain(channel, WITHDRAWN);
        std::vector<uint8_t> now(channel.held.size());
        if (valid && (channel.was_held || !passes)) read(*channel.port, now.data());
        if (channel.was_held && valid && now != channel.held) complain(channel, CHANGED);
        channel.was_held = valid && !passes;
        if (channel.was_held) channel.held = now;
    }

    void complain(const Channel& channel, Fault fault) {
        const uint32_t number = uint32_t(&channel - channels.data());
        if (complaints.size() < MAX_COMPLAINTS) complaints.push_back(Complaint{cycle, number, fault});
    }
};

}  // namespace

int main(int count, char** arguments) {
    const uint64_t seed = count > 1 ? std::strtoull(arguments[1], nullptr, 10) : 1;
    const std::string waveform = count > 2 ? arguments[2] : "";
    std::map<std::pair<uint32_t, uint32_t>, std::unique_ptr<Bench>> used;  // a model for each
    Request request;
    while (std::fread(&request, sizeof request, 1, stdin) == 1) {
        if (request.magic != MAGIC || request.design >= designs) std::exit(5);
        auto& bench = used[{request.design, request.kind == RUN ? 0 : request.number + 1}];
        if (!bench || request.kind == KEEP)
            bench = std::make_unique<Bench>(makers[request.design], seed, waveform, count, arguments);
        if (request.kind == STRIKE)
            bench->strike();
        else
            bench->run(request);
    }
    return 0;
}
