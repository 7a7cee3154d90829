    .section .text.start
    .globl _start
_start:
    la sp, 0x10000
    call main
    li t0, 0x10000004
    sw a0, 0(t0)
1:  j 1b

    /* Wait until an interrupt is pending; which ones. */
    .globl wait_for_interrupt
wait_for_interrupt:
#ifdef PICORV32
    .word 0x0800050b    /* waitirq a0: all interrupts are masked after a reset */
#else
    li t0, 0x1000000c   /* the device's line, in memory */
1:  lw a0, 0(t0)
    beqz a0, 1b
    slli a0, a0, 5
#endif
    ret
