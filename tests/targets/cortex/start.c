/* Starts a Cortex-M4 of QEMU's board mps2-an386, runs main, and prints by semihosting. */
#include <stdint.h>

extern uint32_t stack_top, data_load, data_start, data_end, bss_start, bss_end;
int main(void);

static void semihosting(int operation, const void *argument)
{
    __asm volatile("mov r0, %0\n mov r1, %1\n bkpt 0xab" : : "r"(operation), "r"(argument) : "r0", "r1", "memory");
}

void show(const char *text)
{
    semihosting(4, text);
}

static void reset(void)
{
    *(volatile uint32_t *)0xE000ED88 |= 0xFu << 20; /* the floating-point unit */
    __asm volatile("dsb\n isb");
    const uint32_t *from = &data_load;
    for (uint32_t *to = &data_start; to < &data_end;) *to++ = *from++;
    for (uint32_t *to = &bss_start; to < &bss_end;) *to++ = 0;
    main();
    semihosting(0x18, (const void *)0x20026); /* exit */
    for (;;) {}
}

__attribute__((section(".vectors"), used)) static const void *const vectors[16] = {&stack_top, (const void *)reset};
