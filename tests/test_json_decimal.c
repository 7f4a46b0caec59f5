/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Decimals become the nearest double, of two the even one, in every locale; the C library's strtod
 * in the locale "C", which tests have, is the reference. */

#include "core/json_text.h"
#include "support/cmocka_all.h"

static uint64_t bits_of(double value)
{
    uint64_t bits = 0;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static void check(const char *text)
{
    double got = NAN;
    const char *end = text + strlen(text);
    assert_ptr_equal(json_decimal(text, end, &got), end);
    const double expected = strtod(text, NULL);
    assert_that(bits_of(got) == bits_of(expected), "%.60s is %a, not %a", text, got, expected);
}

#define NINES "99999999999999999999"
#define ZEROS "00000000000000000000"

TEST(hard_decimals_are_the_nearest_double)
{
    static const char *const texts[] = {
        /* zero, without and with a sign, places and powers */
        "0", "-0", "0.000", "0e999999999", "-0.0e-5", "+3", ".5", "7.", "1e0000000000000000000001",
        /* both numbers are doubles, and just not */
        "9007199254740992e22", "9007199254740993", "9007199254740993e22", "1e22", "1e23", "1e-22",
        "1e-23", "123456789012345678",
        /* 17 digits, and what the least of them decides */
        "0.1", "0.30000000000000004", "0.29999999999999999", "0.10000000000000001", "8.41e21",
        "9.109383701528e-31", "6.0221407599999999e23", "2.2250738585072011e-308",
        "1.7976931348623157e308", "5e-324", "123456.78901234567",
        /* the middle: even, odd, and a digit far away on each side */
        "9007199254740994", "9007199254740995",
        "1.00000000000000011102230246251565404236316680908203125",
        "1.00000000000000011102230246251565404236316680908203124",
        "1.00000000000000011102230246251565404236316680908203126",
        "1.00000000000000033306690738754696212708950042724609375",
        ("9007199254740993." ZEROS ZEROS ZEROS ZEROS ZEROS "1"),
        ("9007199254740992." NINES NINES NINES),
        /* the least ones: the smallest, its half, one beside, the largest subnormal */
        "4.9406564584124654e-324", "2.4703282292062327e-324", "2.4703282292062328e-324", "2.4e-324",
        "1e-323", "7.4109846876186982e-324", "2.2250738585072009e-308", "2.2250738585072014e-308",
        "1e-400", "3e-310", ("0." ZEROS ZEROS ZEROS ZEROS ZEROS ZEROS ZEROS ZEROS "1e160"),
        (ZEROS "1" ZEROS ZEROS "e-40"),
        /* the largest ones: it, the middle to infinity, below that, beyond */
        "1e308", "1.7976931348623158e308", "1.7976931348623159e308", "1e309", "-1e309",
        "1e99999999999", (NINES NINES NINES "e260")};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        check(texts[i]);
    }
    check(
        "179769313486231580793728971405303415079934132710037826936173778980444968292764750946649017"
        "977587207096330286416692887910946555547851940402630657488671505820681908902000708383676273"
        "854845817711531764475730270069855571366959622842914819860834936475292719074168444365510704"
        "34271155969950809304288017790417449779199999999999");
    check(
        "179769313486231580793728971405303415079934132710037826936173778980444968292764750946649017"
        "977587207096330286416692887910946555547851940402630657488671505820681908902000708383676273"
        "854845817711531764475730270069855571366959622842914819860834936475292719074168444365510704"
        "342711559699508093042880177904174497792");
}

static uint64_t next(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return *seed >> 11 | *seed << 53;
}

/* Any bits in 17 digits and in fewer or more; the middle between two doubles, and a digit beside
 * it. */
TEST(doubles_come_back)
{
    uint64_t seed = 5;
    for (int i = 0; i < 20000; i++) {
        const uint64_t bits = next(&seed);
        double value = 0.0;
        memcpy(&value, &bits, sizeof value);
        if (!isfinite(value)) {
            continue;
        }
        check(test_text("%.17g", value));
        check(test_text("%.*g", 1 + i % 25, value));
        if (i % 16 == 0) {
            const long double above = nextafter(value, INFINITY);
            char middle[1024]; /* where a long double has it */
            snprintf(middle, sizeof middle, "%.780Lg", ((long double)value + above) / 2);
            char *last = middle + strcspn(middle, "e") - 1;
            const char digit = *last;
            check(middle);
            for (int side = -1; side <= 1; side += 2) {
                *last = (char)(digit + side);
                if (*last >= '0' && *last <= '9') {
                    check(middle);
                }
            }
        }
    }
}
