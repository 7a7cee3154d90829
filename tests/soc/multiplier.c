/* A run of the driver of a multiplier: what it prints is compared with Python.  DUT_ and dut_ are
 * the driver's own names. */
#include "dut.h"

#define OUT (*(volatile uint32_t *)0x10000000)
#define CYCLES (*(volatile uint32_t *)0x10000008)
#define ACCESSES (*(volatile uint32_t *)0x10000010)
#define DEVICE ((volatile uint32_t *)0x40000000)
#define NOTHING ((volatile uint32_t *)0x50000000)
#define WORDS DUT_RESULT_WORDS

uint32_t wait_for_interrupt(void);

static uint32_t seed = 0x2545f491u;

static uint32_t drawn(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 17;
    seed ^= seed << 5;
    return seed;
}

/* A random operand: below 2^BITS. */
static void draw(uint32_t *number)
{
    uint32_t place;
    for (place = 0; place < WORDS; place++) {
        number[place] = drawn();
        if (32 * place >= BITS) {
            number[place] = 0;
        } else if (BITS - 32 * place < 32) {
            number[place] &= (1u << (BITS - 32 * place)) - 1u;
        }
    }
}

static void print(const uint32_t *number)
{
    uint32_t place;
    for (place = 0; place < WORDS; place++) {
        OUT = number[place];
    }
}

/* Steps of a ladder, each the product of both numbers into one of them and a square of the other;
 * the first product with its `how`, and the second, whose a is in the window already. */
static void step_over_the_bus(const dut_device *device, uint32_t *stays, uint32_t *goes)
{
    dut_multiply(device, stays, goes, goes);
    dut_start(device, DUT_OPERAND_SEND_SQUARE);
    dut_wait(device);
    dut_get(device, stays);
    dut_take(device);
}

/* The same where both are in banks.  take: of the result before. */
static void step_in_banks(const dut_device *device, uint32_t stays, uint32_t goes, uint32_t take)
{
    dut_start(device, DUT_A_BANK(stays) | DUT_B_BANK(goes) | DUT_RESULT_BANK(goes) | take);
    dut_wait(device);
    dut_start(device, DUT_A_BANK(stays) | DUT_OPERAND_SEND_SQUARE | DUT_RESULT_BANK(stays)
                          | DUT_OPERAND_SEND_TAKE);
    dut_wait(device);
}

static void ladder(const dut_device *device)
{
    static uint32_t numbers[2][WORDS], kept[2][WORDS];
    uint32_t count, bit, began, before, place;
    for (count = 0; count < 2; count++) {
        draw(numbers[count]);
        print(numbers[count]);
        for (place = 0; place < WORDS; place++) {
            kept[count][place] = numbers[count][place];
        }
    }
    before = ACCESSES;
    began = CYCLES;
    for (count = 0; count < STEPS; count++) {
        bit = 0x35u >> count % 6 & 1;
        step_over_the_bus(device, numbers[bit], numbers[1 - bit]);
    }
    OUT = CYCLES - began;
    OUT = ACCESSES - before;
    print(numbers[0]);
    print(numbers[1]);
    before = ACCESSES;
    began = CYCLES;
    OUT = dut_set_bank(device, 1, kept[0]);
    OUT = dut_set_bank(device, 2, kept[1]);
    for (count = 0; count < STEPS; count++) {
        bit = 0x35u >> count % 6 & 1;
        step_in_banks(device, 1 + bit, 2 - bit, count != 0 ? DUT_OPERAND_SEND_TAKE : 0);
    }
    dut_take(device);
    OUT = CYCLES - began;
    OUT = ACCESSES - before;
    /* Both numbers, each times one that is as it was. */
    dut_set_b(device, kept[0]);
    for (count = 1; count <= 2; count++) {
        dut_start(device, DUT_A_BANK(count));
        dut_wait(device);
        dut_get(device, numbers[0]);
        dut_take(device);
        print(numbers[0]);
    }
    OUT = dut_set_bank(device, 0, kept[0]);
    OUT = dut_set_bank(device, DUT_BANKS + 1, kept[0]);
    OUT = dut_start(device, DUT_A_BANK(DUT_BANKS + 1));
}

int main(void)
{
    static uint32_t a[WORDS], b[WORDS], product[WORDS];
    dut_device device, none;
    uint32_t count, began, before;
    OUT = dut_open(&none, NOTHING);
    OUT = dut_open(&device, DEVICE);
    /* No modulus: nothing comes. */
    device.patience = 200;
    OUT = dut_multiply(&device, a, b, product);
    device.patience = DUT_PATIENCE;
    OUT = dut_wipe(&device);
    OUT = dut_load_own(&device);
    for (count = 0; count < PRODUCTS; count++) {
        draw(a);
        draw(b);
        before = ACCESSES;
        began = CYCLES;
        OUT = dut_multiply(&device, a, b, product);
        OUT = CYCLES - began;
        OUT = ACCESSES - before;
        print(a);
        print(b);
        print(product);
    }
    /* The same a, another b. */
    draw(b);
    began = CYCLES;
    OUT = dut_multiply_by(&device, b, product);
    OUT = CYCLES - began;
    print(b);
    print(product);
    OUT = dut_square(&device, a, product);
    print(product);
    /* A chain: a = a * b, PRODUCTS times, of which only the last result is read. */
    dut_set_b(&device, b);
    before = ACCESSES;
    began = CYCLES;
    OUT = dut_start(&device, 0);
    for (count = 1; count < PRODUCTS; count++) {
        dut_wait(&device);
        dut_start(&device, DUT_OPERAND_SEND_A_RESULT | DUT_OPERAND_SEND_TAKE);
    }
    dut_wait(&device);
    dut_get(&device, product);
    OUT = CYCLES - began;
    OUT = ACCESSES - before;
    print(product);
    dut_take(&device);
    ladder(&device);
    /* Too early, and too much: a take without a result, more beats than there are. */
    dut_clear(&device, ~0u);
    dut_take(&device);
    OUT = dut_events(&device);
    OUT = dut_start(&device, DUT_OPERAND_BEATS << 1);
    /* An interrupt. */
    dut_set_a(&device, a);
    dut_clear(&device, ~0u);
    dut_enable(&device, DUT_EVENTS_RESULT);
    dut_start(&device, DUT_OPERAND_SEND_SQUARE);
    OUT = wait_for_interrupt();
    OUT = dut_events(&device) & DUT_EVENTS_RESULT;
    dut_get(&device, product);
    print(product);
    /* Wiped: no result, and operands of 0. */
    OUT = dut_wipe(&device);
    device.patience = 200;
    OUT = dut_wait(&device);
    dut_get(&device, product);
    print(product);
    device.patience = DUT_PATIENCE;
    dut_load_own(&device);
    dut_start(&device, 0);
    dut_wait(&device);
    dut_get(&device, product);
    print(product);
    return 0;
}
