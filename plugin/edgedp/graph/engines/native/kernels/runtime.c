/* What is there once, whatever the level: what the library was made of, what the processor can do, scratch. */
#include "kernels.h"

#if EDGEDP_LEVEL == 0

#ifndef EDGEDP_SOURCES
#define EDGEDP_SOURCES ""
#endif
#ifndef EDGEDP_LEVELS
#define EDGEDP_LEVELS 1
#endif

EXPORT const char *edgedp_sources(void);
EXPORT int64_t edgedp_levels(void);
EXPORT scratch *edgedp_scratch_new(void);
EXPORT void edgedp_scratch_free(scratch *memory);

/* SHA-256 of the sources (build.py). */
EXPORT const char *edgedp_sources(void) { return EDGEDP_SOURCES; }

#if defined(__x86_64__) || defined(_M_X64)
#include <cpuid.h>

INLINE uint64_t enabled_registers(void) {
    uint32_t low, high;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return (uint64_t)high << 32 | low;
}

/* The processor is asked itself: compilers' own helpers are not linked in by all of them. */
static int64_t supported(void) {
    enum { XSAVE_AND_AVX = 1u << 27 | 1u << 28, POPCNT = 1u << 23 };         /* leaf 1, ecx */
    enum { BMI1 = 1u << 3, AVX2 = 1u << 5, BMI2 = 1u << 8 };                 /* leaf 7, ebx */
    const uint32_t f_dq_cd_bw_vl = 1u << 16 | 1u << 17 | 1u << 28 | 1u << 30 | 1u << 31;
    const uint32_t vbmi_vbmi2_bitalg_vpopcntdq = 1u << 1 | 1u << 6 | 1u << 12 | 1u << 14; /* ecx */
    const uint32_t lzcnt = 1u << 5;                                          /* leaf 0x80000001, ecx */
    uint32_t a, b, c, d;
    if (!__get_cpuid(1, &a, &b, &c, &d)) return 0;
    if ((c & (XSAVE_AND_AVX | POPCNT)) != (XSAVE_AND_AVX | POPCNT)) return 0;
    const uint64_t registers = enabled_registers();
    if ((registers & 0x6) != 0x6) return 0;
    if (!__get_cpuid(0x80000001u, &a, &b, &c, &d) || !(c & lzcnt)) return 0;
    if (!__get_cpuid_count(7, 0, &a, &b, &c, &d)) return 0;
    if ((b & (BMI1 | AVX2 | BMI2)) != (BMI1 | AVX2 | BMI2)) return 0;
    if ((registers & 0xe6) != 0xe6) return 1;
    if ((b & f_dq_cd_bw_vl) != f_dq_cd_bw_vl) return 1;
    return (c & vbmi_vbmi2_bitalg_vpopcntdq) == vbmi_vbmi2_bitalg_vpopcntdq ? 2 : 1;
}
#else
static int64_t supported(void) { return 0; }
#endif

/* How many of the levels that were compiled run here: 1 is the baseline alone. */
EXPORT int64_t edgedp_levels(void) {
    const int64_t highest = supported();
    return highest + 1 < EDGEDP_LEVELS ? highest + 1 : EDGEDP_LEVELS;
}

EXPORT scratch *edgedp_scratch_new(void) { return calloc(1, sizeof(scratch)); }

EXPORT void edgedp_scratch_free(scratch *memory) {
    if (memory == NULL) return;
    for (int slot = 0; slot < SLOTS; slot++) free(memory->block[slot]);
    free(memory);
}

#endif
