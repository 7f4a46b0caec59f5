/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "wishes.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void wishes_help(void)
{
    puts(
        "fovea_bench [flags]: times the backends of this machine.\n"
        "\n"
        "  --json FILE      the tables also go there as JSON\n"
        "  --only REGEX     only cases whose names match; extended, anywhere in the name, which "
        "of\n"
        "                   --domain says what the point is: 'cuda/domain/(3|17):', 'map x', ' x "
        ".*PQ'\n"
        "  --backend NAME   only cpu, cuda or vulkan\n"
        "  --quick          a tiny picture and few repetitions: whether it works, not how fast\n"
        "  --alpha          pictures of RGBA8 whose alpha varies instead of opaque ones\n"
        "  --surfaces       CUDA: pictures in arrays, as frames of engines are; batches and\n"
        "                   formats that arrays lack stay in memory\n"
        "  --launches       CUDA: separate launches between two events instead of a graph\n"
        "  --threads N      of the cpu backend; one for each core\n"
        "  --lens-paper     ways to warp for a lens instead of the tables: a paper's, others', "
        "ours\n"
        "  --foveation-paper  a paper's kernel for foveation and others beside ours instead of "
        "the\n"
        "                   tables; CUDA\n"
        "  --blur-thesis    a thesis's ways to blur beside ours instead of the tables; CUDA, GLSL\n"
        "  --lightfield-paper  a paper's kernels for light fields beside ours instead of the "
        "tables; CUDA\n"
        "  --csdd-thesis    a thesis's kernels for blobs beside ours instead of the tables\n"
        "  --check          with the last four: looks at what the ways make and times nothing\n"
        "  --domain         random points of all sizes, strengths, laws, formats and counts, each\n"
        "                   against a bound; status 1 where one is broken\n"
        "  --points N       how many (60)\n"
        "  --seed N         which (1)\n"
        "  --seconds N      no case begins after so long; says which were left out\n"
        "  --list           the names of the cases, one a line\n"
        "  --help           this");
}

#define DOMAIN_POINTS 60
#define DOMAIN_POINTS_QUICK 8

static bool read_count(const char *text, unsigned long most, uint32_t *out)
{
    char *end = NULL;
    const unsigned long value = strtoul(text, &end, 10);
    *out = (uint32_t)value;
    return *text != '\0' && *end == '\0' && value >= 1 && value <= most;
}

static bool read_seed(const char *text, uint64_t *out)
{
    char *end = NULL;
    *out = strtoull(text, &end, 10);
    return *text >= '0' && *text <= '9' && *end == '\0';
}

static bool read_value(int option, struct wishes *out)
{
    switch (option) {
    case 'j':
        out->json = optarg;
        return true;
    case 'o':
        out->only_text = optarg;
        return true;
    case 'b':
        out->backend = optarg;
        return strcmp(optarg, "cpu") == 0 || strcmp(optarg, "cuda") == 0 ||
               strcmp(optarg, "vulkan") == 0;
    case 't':
        return read_count(optarg, 256, &out->threads);
    case 'n':
        return read_count(optarg, 100000, &out->domain_points);
    case 'e':
        return read_count(optarg, 100000, &out->seconds);
    case 's':
        return read_seed(optarg, &out->seed);
    default:
        return false;
    }
}

static bool compile_only(struct wishes *wishes)
{
    if (!wishes->only_text) {
        return true;
    }
    if (regcomp(&wishes->only, wishes->only_text, REG_EXTENDED | REG_NOSUB) == 0) {
        return true;
    }
    fprintf(stderr, "fovea_bench: '%s' is no regular expression\n", wishes->only_text);
    wishes->only_text = NULL;
    return false;
}

enum wishes_result wishes_read(int argc, char **argv, struct wishes *out)
{
    int domain = 0;
    const struct option options[] = {
        {"quick", no_argument, &out->quick, 1},
        {"list", no_argument, &out->list, 1},
        {"launches", no_argument, &out->launches, 1},
        {"alpha", no_argument, &out->alpha, 1},
        {"surfaces", no_argument, &out->surfaces, 1},
        {"lens-paper", no_argument, &out->lens_paper, 1},
        {"foveation-paper", no_argument, &out->foveation_paper, 1},
        {"blur-thesis", no_argument, &out->blur_thesis, 1},
        {"lightfield-paper", no_argument, &out->lightfield_paper, 1},
        {"csdd-thesis", no_argument, &out->csdd_thesis, 1},
        {"check", no_argument, &out->check, 1},
        {"domain", no_argument, &domain, 1},
        {"points", required_argument, NULL, 'n'},
        {"seed", required_argument, NULL, 's'},
        {"seconds", required_argument, NULL, 'e'},
        {"help", no_argument, NULL, 'h'},
        {"json", required_argument, NULL, 'j'},
        {"only", required_argument, NULL, 'o'},
        {"backend", required_argument, NULL, 'b'},
        {"threads", required_argument, NULL, 't'},
        {NULL, 0, NULL, 0},
    };
    *out = (struct wishes){.seed = 1};
    int option;
    while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
        if (option == 'h') {
            return WISHES_HELP;
        }
        if (option != 0 && !read_value(option, out)) {
            return WISHES_WRONG;
        }
    }
    if (domain && out->domain_points == 0) {
        out->domain_points = out->quick ? DOMAIN_POINTS_QUICK : DOMAIN_POINTS;
    }
    out->domain_points = domain ? out->domain_points : 0;
    return optind == argc && compile_only(out) ? WISHES_OK : WISHES_WRONG;
}

void wishes_free(struct wishes *wishes)
{
    if (wishes->only_text) {
        regfree(&wishes->only);
    }
}

bool wishes_backend(const struct wishes *wishes, const char *backend)
{
    return !wishes->backend || strcmp(wishes->backend, backend) == 0;
}

bool wishes_paper(const struct wishes *wishes)
{
    return wishes->lens_paper || wishes->foveation_paper || wishes->blur_thesis ||
           wishes->lightfield_paper || wishes->csdd_thesis;
}

bool wishes_name(const struct wishes *wishes, const char *name)
{
    return !wishes->only_text || regexec(&wishes->only, name, 0, NULL, 0) == 0;
}
