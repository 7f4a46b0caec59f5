/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* "key.path=value", one by one and as the list in FOVEA_SET. */
#include "test_config_support.h"

static enum fovea_result create(const char *set, struct recorded *recorded,
                                struct fovea_settings *out_settings)
{
    struct fovea_config_desc desc;
    fovea_config_desc_init(&desc);
    desc.ignore_environment = true;
    desc.sets = &set;
    desc.set_count = 1;
    desc.log = recorded_log(recorded);
    OWNED(fovea_config_destroy) struct fovea_config *config = NULL;
    enum fovea_result result = fovea_config_create(&desc, &config);
    if (result == FOVEA_OK) {
        *out_settings = *fovea_config_settings(config);
    }
    return result;
}

static struct fovea_settings set(const char *text)
{
    struct recorded recorded = {0};
    struct fovea_settings settings;
    enum fovea_result result = create(text, &recorded, &settings);
    assert_string_equal(recorded.last[FOVEA_LOG_ERROR], "");
    assert_result(result, FOVEA_OK);
    return settings;
}

static struct fovea_settings set_list(const char *list)
{
    setenv("FOVEA_SET", list, 1);
    struct recorded recorded = {0};
    struct fovea_config_desc desc;
    fovea_config_desc_init(&desc);
    desc.log = recorded_log(&recorded);
    OWNED(fovea_config_destroy) struct fovea_config *config = NULL;
    enum fovea_result result = fovea_config_create(&desc, &config);
    unsetenv("FOVEA_SET");
    assert_string_equal(recorded.last[FOVEA_LOG_ERROR], "");
    assert_result(result, FOVEA_OK);
    struct fovea_settings settings = *fovea_config_settings(config);
    return settings;
}

TEST(values_are_json_or_bare_words)
{
    assert_int_equal(set("backend=cpu").backend, FOVEA_BACKEND_CPU);
    assert_int_equal(set("backend=\"cpu\"").backend, FOVEA_BACKEND_CPU);
    assert_int_equal(set("  backend = cpu  ").backend, FOVEA_BACKEND_CPU);
    assert_int_equal(set("foveation.paper.fragment_px=16").foveation.paper.fragment_px, 16);
    assert_float_equal(set("foveation.strength=25e-1").foveation.strength, 2.5, 0);
    assert_float_equal(set("gaze.fixed.x=-0.5").gaze.fixed.x_uv, -0.5, 0);
    assert_true(set("overlay.hud=true").overlay.hud);
    assert_true(set("gaze.saccades.seed=18446744073709551615").gaze.saccades_seed == UINT64_MAX);
    assert_int_equal(set("gaze.screen_px=[1920, 1080]").gaze.screen_px[1], 1080);
}

TEST(strings_need_no_quotes)
{
    assert_string_equal(set("gaze.udp.bind=127.0.0.1").gaze.udp_bind, "127.0.0.1");
    assert_string_equal(set("gaze.udp.bind=::1").gaze.udp_bind, "::1");
    assert_string_equal(set("gaze.udp.bind=5").gaze.udp_bind, "5");
    assert_string_equal(set("gaze.udp.bind=true").gaze.udp_bind, "true");
    assert_string_equal(set("gaze.udp.bind=").gaze.udp_bind, "");
    assert_string_equal(set("layer.keys.hud=F9").layer.keys.hud, "F9");
    assert_string_equal(set("layer.keys.hud=5").layer.keys.hud, "5");
    assert_string_equal(set("layer.keys.hud=").layer.keys.hud, "");
    assert_string_equal(set("layer.keys.hud=Control_L+Alt_L+h").layer.keys.hud,
                        "Control_L+Alt_L+h");
    assert_string_equal(set("gaze.scanpath.file=a b=c.csv").gaze.scanpath_file, "a b=c.csv");
    assert_string_equal(set("gaze.scanpath.file=\"a\\u0062 \"").gaze.scanpath_file, "ab ");
}

/* FOVEA_SET, whose settings have commas between, needs the quotes or the brackets. */
TEST(operators_are_names_with_commas_between)
{
    static const char *const sets[] = {"operators=foveate", "operators= foveate ",
                                       "operators=[\"foveate\"]", "operators=\"foveate\""};
    for (size_t i = 0; i < sizeof sets / sizeof sets[0]; i++) {
        const struct fovea_operators one = set(sets[i]).operators;
        const struct fovea_operators same = set_list(sets[i]).operators;
        assert_int_equal(one.count, 1);
        assert_int_equal(one.order[0], FOVEA_OPERATOR_foveate);
        assert_memory_equal(&one, &same, sizeof one);
    }
    static const char *const orders[] = {"operators=blur,foveate",
                                         "operators=[\"blur\", \"foveate\"]"};
    for (size_t i = 0; i < sizeof orders / sizeof orders[0]; i++) {
        const struct fovea_operators both = set(orders[i]).operators;
        assert_int_equal(both.count, 2);
        assert_int_equal(both.order[0], FOVEA_OPERATOR_blur);
        assert_int_equal(both.order[1], FOVEA_OPERATOR_foveate);
    }
    assert_int_equal(set_list("operators=\"foveate,blur\",backend=cpu").operators.count, 2);
    assert_float_equal(set("blur.sigma_px=2.5").own.blur_sigma_px, 2.5, 0);
}

TEST(a_group_takes_an_object)
{
    struct fovea_settings settings = set("gaze.fixed={\"x\": 0.25, \"y\": 0.75}");
    assert_float_equal(settings.gaze.fixed.x_uv, 0.25, 0);
    assert_float_equal(settings.gaze.fixed.y_uv, 0.75, 0);
    assert_int_equal(set("foveation={\"paper\": {\"fragment_px\": 8}}").foveation.paper.fragment_px,
                     8);
}

struct wrong_set {
    const char *set;
    const char *message;
};

/* Up to a row without a set. What is said of one begins with it, unless settings do not agree. */
static void assert_all_named(const struct wrong_set *cases)
{
    for (; cases->set; cases++) {
        OWNED(owned_free) char *wrong = json(cases->set);
        OWNED(owned_free) char *message = json(cases->message);
        const bool of_all = strncmp(message, "configuration: ", 15) == 0;
        const char *named = test_text("--set \"%s\": %s", wrong + strspn(wrong, " "), message);
        struct recorded recorded = {0};
        struct fovea_settings settings;
        print_message("%s\n", wrong);
        assert_result(create(wrong, &recorded, &settings), FOVEA_ERROR_CONFIG);
        assert_string_equal(recorded.last[FOVEA_LOG_ERROR], of_all ? message : named);
        assert_int_equal(recorded.count[FOVEA_LOG_ERROR], 1);
    }
}

/* A test whose table follows. */
#define WRONG_SETS(name)                                                                           \
    static const struct wrong_set name##_cases[16];                                                \
    TEST(name)                                                                                     \
    {                                                                                              \
        assert_all_named(name##_cases);                                                            \
    }                                                                                              \
    static const struct wrong_set name##_cases[16]

WRONG_SETS(sets_of_unknown_keys_are_named) = {
    {"backend", "expected key.path=value"},
    {"", "expected key.path=value"},
    {"=1", "expected key.path=value"},
    {" =1", "expected key.path=value"},
    {"gaze.fixd.x=1", "gaze.fixd: unknown key; did you mean 'fixed'?"},
    {"strength=1", "strength: unknown key; did you mean 'foveation.strength'?"},
    {"foveation.strength.x.y=1",
     "foveation.strength.x: unknown key; foveation.strength holds a value"},
    {"gaze.=1", "gaze.: unknown key; expected one of source, space, origin, over, screen_px, "
                "screen_deg, fixed, scanpath, saccades, saliency, udp, lsl, opengaze, osc, pupil, "
                "neon, filter, vergence, validity, late"},
    {".=1",
     "unknown key; expected one of backend, backend_measure, cuda_context, operators, cpu_threads, "
     "watchdog_ms, log, foveation, blur, dof, lens, gaze, overlay, record, layer"},
    {"version=1",
     "version: unknown key; expected one of backend, backend_measure, cuda_context, operators, "
     "cpu_threads, watchdog_ms, log, foveation, blur, dof, lens, gaze, overlay, record, layer"},
    {"apps.x=1",
     "apps: unknown key; expected one of backend, backend_measure, cuda_context, operators, "
     "cpu_threads, watchdog_ms, log, foveation, blur, dof, lens, gaze, overlay, record, layer"},
    {"gaze.fixed={'x': 0.25, 'z': 1}", "gaze.fixed.z: unknown key; expected one of x, y"},
};

/* The names that there are stand between: they are more with each operator. */
TEST(sets_of_wrong_operators_are_named)
{
    static const char *const cases[][2] = {
        {"operators=fovaete",
         "none twice; found fovaete; there is no fovaete; did you mean \"foveate\"?"},
        {"operators=foveate,foveate", "none twice; found foveate,foveate; foveate is there twice"},
        {"operators=foveate,", "none twice; found foveate,"},
        {"operators=[]", "none twice; found []"},
        {"operators=", "none twice; found "},
        {"operators=[1]", "none twice; found [1]"},
        {"operators=1", "none twice; found 1"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct recorded recorded = {0};
        struct fovea_settings settings;
        assert_result(create(cases[i][0], &recorded, &settings), FOVEA_ERROR_CONFIG);
        const char *said = recorded.last[FOVEA_LOG_ERROR];
        assert_non_null(strstr(said, "operators: expected an array, one or more of \"foveate\""));
        assert_string_equal(strstr(said, "none twice"), cases[i][1]);
    }
}

WRONG_SETS(sets_of_wrong_values_are_named) = {
    {"gaze=mouse", "gaze: expected an object; found mouse; one of its keys is gaze.source"},
    {"gaze.fixed=[0.3,0.4]",
     "gaze.fixed: expected an object; found [0.3,0.4]; one of its keys is gaze.fixed.x"},
    {"gaze.source=muose", "gaze.source: expected one of 'fixed', 'mouse', 'scanpath', 'saccades', "
                          "'udp', 'openxr', 'saliency', 'lsl', 'opengaze', 'osc', 'pupil', "
                          "'replay', 'neon'; found muose; did you mean 'mouse'?"},
    {"overlay.hud=on", "overlay.hud: expected true or false; found on"},
    {"foveation.strength=NaN", "foveation.strength: expected a number, 0 to 8; found NaN"},
    {"foveation.strength=2x", "expected a value as JSON writes it; found 2x"},
    {"foveation.strength=", "foveation.strength: expected a number, 0 to 8; found "},
    {"gaze.vergence.ipd_mm=19",
     "gaze.vergence.ipd_mm: expected a number, 0 or 20 to 100; found 19"},
    {"foveation.geometry.ppd=0.5",
     "foveation.geometry.ppd: expected a number, 0 or 1 to 1000; found 0.5"},
    {"foveation.geometry.tan_left=0.5",
     "configuration: foveation.geometry.tan_right is 0 and others are not; give all four tangents "
     "or none (1e-9 is an edge on the view axis)"},
    {"foveation.curve=[[1, 2], [0, 1]]",
     "foveation.curve: expected an array, 1 to 32 points [degrees, cycles per degree]; degrees "
     "rise from 0 or more to 180 or less, cycles are 0.01 to 1000; found [[1, 2], [0, 1]]; wrong "
     "at point 2"},
    {"gaze.fixed={'x': 0.25,}", "a comma before }: JSON has no trailing commas"},
};

struct unused_case {
    const char *sets[3]; /* NULL: there are fewer */
    const char *names;
};

/* The log says these words of such settings; cases go up to one without a set. */
static const struct {
    const char *words;
    struct unused_case cases[12];
} unused[] = {
    {"configuration: foveation.model ",
     {{{"backend=cpu"}, ""},
      {{"foveation.map.kind=human"}, ""},
      {{"foveation.map.kind=streak"}, "foveation.map.kind"},
      {{"foveation.model=map", "foveation.map.kind=streak"}, ""},
      {{"foveation.model=physical", "foveation.geometry.ppd=30", "foveation.curve=[[0, 9]]"},
       "foveation.curve"},
      {{"foveation.geometry.ppd=30", "foveation.physical.alpha=0.2", "foveation.paper.ct0=0.02"},
       "foveation.physical.alpha, foveation.geometry.ppd"},
      {{"foveation.model=map", "foveation.geometry.ppd=30"}, "foveation.geometry.ppd"},
      {{"foveation.model=map", "foveation.geometry.ppd=30", "foveation.map.degrees=view"}, ""},
      {{"foveation.model=relative", "foveation.relative.sharp=1", "foveation.geometry.ppd=30"},
       "foveation.geometry.ppd"},
      {{"foveation.relative.halving=1"}, "foveation.relative.halving"},
      {{"foveation.geometry.ppd=30", "operators=dof", "dof.lens=eye"}, ""}}},
    {"configuration: foveation.light ",
     {{{"foveation.light=gamma", "foveation.display.gamma=1.8", "backend=cpu"}, ""},
      {{"foveation.light=table", "foveation.display.table=[0, 1]", "backend=cpu"}, ""},
      {{"foveation.display.gamma=2.2", "foveation.display.hlg_peak_cd_m2=600", "backend=cpu"}, ""},
      {{"foveation.display.gamma=1.8", "foveation.display.table=[0, 1]", "foveation.light=table"},
       "foveation.display.gamma"},
      {{"foveation.display.gamma=1.8", "foveation.display.table=[0, 1]", "backend=cpu"},
       "foveation.display.gamma, foveation.display.table"}}},
    {"configuration: none of the \"operators\" uses ",
     {{{"lens.r2=0.2054", "blur.sigma_px=4", "backend=cpu"}, ""},
      {{"lens.r2=0.3", "lens.file=nowhere.json", "backend=cpu"}, "lens.r2, lens.file"},
      {{"lens.r2=0.3", "operators=lens", "blur.sigma_px=2"}, "blur.sigma_px"},
      {{"lens.r2=0.3", "operators=[\"foveate\",\"lens\"]", "backend=cpu"}, ""}}},
    {"configuration: nothing uses ",
     {{{"blur.edge=0", "operators=blur", "blur.shape=disc"}, ""},
      {{"blur.edge=0.1", "operators=blur", "blur.engine=diffusion"}, ""},
      {{"blur.edge=0.1", "operators=blur", "blur.engine=box"},
       "blur.edge (blur.engine \"diffusion\" would)"},
      {{"blur.file=nowhere.txt", "operators=blur", "blur.shape=star"},
       "blur.file (blur.engine \"fft\" would), blur.shape (blur.engine \"fft\" would)"},
      {{"dof.pupil_mm=2", "operators=dof", "dof.f_number=4"},
       "dof.pupil_mm (dof.lens \"eye\" would)"},
      {{"dof.focus_time_s=1", "operators=dof", "dof.focus=fixed"},
       "dof.focus_time_s (dof.focus \"gaze\" would)"},
      {{"dof.focus_time_s=1", "operators=dof", "dof.focus_hysteresis_diopters=1"}, ""},
      {{"dof.focus_time_s=1", "operators=dof", "dof.focus=vergence"}, ""}}},
    {"configuration: the operator's file counts instead of ",
     {{{"lens.file=nowhere.json", "operators=lens", "lens.r2=0.2054"}, ""},
      {{"lens.file=nowhere.json", "operators=lens", "lens.r2=0.9"}, "lens.r2"},
      {{"lens.file=nowhere.json", "operators=lens", "lens.blue_r2=0.1"}, "lens.blue_r2"},
      {{"lens.file=nowhere.json", "operators=lens", "lens.unit=half-height"}, "lens.unit"},
      {{"lens.file=nowhere.json", "operators=lens", "lens.shift_x=0.1"}, ""},
      {{"lens.file=nowhere.json", "operators=lens", "lens.filter=nearest"}, ""},
      {{"lens.r2=0.9", "operators=lens", "backend=cpu"}, ""}}},
};

/* Lines of the log but for that which says where settings come from. */
static void keep(void *user, enum fovea_log_level level, const char *message)
{
    char *said = user;
    if (!strstr(message, ": defaults, ")) {
        snprintf(said + strlen(said), FOVEA_PATH_MAX - strlen(said), "%s", message);
    }
}

/* One where there are such names, which ends with them; none where there are not. */
static void assert_unused(const char *words, const struct unused_case *of)
{
    char said[FOVEA_PATH_MAX] = "";
    struct recorded recorded;
    struct fovea_config_desc desc = only_file(NULL, &recorded);
    OWNED(fovea_config_destroy) struct fovea_config *config = NULL;
    desc.log = (struct fovea_log){.fn = keep, .user = said, .min_level = FOVEA_LOG_INFO};
    desc.sets = of->sets;
    while (desc.set_count < 3 && of->sets[desc.set_count]) {
        desc.set_count++;
    }
    assert_result(fovea_config_create(&desc, &config), FOVEA_OK);
    const char *names = said + strlen(said) - strlen(of->names);
    const bool is_line = strncmp(said, words, strlen(words)) == 0 &&
                         !strstr(said + 1, "configuration: ") && names > said && names[-1] == ' ' &&
                         strcmp(names, of->names) == 0;
    assert_that(of->names[0] ? is_line : !said[0], "%s: \"%s\", not \"%s\"", of->sets[0], said,
                of->names);
}

/* Settings of a model, a light, an operator or a word of it that is not chosen, and those that a
 * file counts instead of; not those that are the default. */
TEST(what_nothing_uses_is_said)
{
    for (size_t i = 0; i < sizeof unused / sizeof unused[0]; i++) {
        for (const struct unused_case *of = unused[i].cases; of->sets[0]; of++) {
            assert_unused(unused[i].words, of);
        }
    }
}

TEST(commas_separate_settings_but_not_inside_of_values)
{
    struct fovea_settings settings =
        set_list("gaze.screen_px=[1920,1080], gaze.scanpath.file=\"a,\\\"b],{.csv\","
                 "gaze.fixed={\"x\":0.1,\"y\":0.2},foveation.curve=[[0,9],[1,8]],backend=cpu");
    assert_int_equal(settings.foveation.curve.count, 2);
    assert_int_equal(settings.gaze.screen_px[0], 1920);
    assert_int_equal(settings.gaze.screen_px[1], 1080);
    assert_string_equal(settings.gaze.scanpath_file, "a,\"b],{.csv");
    assert_float_equal(settings.gaze.fixed.y_uv, 0.2, 0);
    assert_int_equal(settings.backend, FOVEA_BACKEND_CPU);
}

TEST(wrong_lists_name_their_entry)
{
    static const struct {
        const char *list;
        const char *message;
    } cases[] = {
        {"backend=cpu,strength=1",
         "FOVEA_SET 'strength=1': strength: unknown key; did you mean 'foveation.strength'?"},
        {"backend", "FOVEA_SET 'backend': expected key.path=value"},
        {"backend=cpu,", "FOVEA_SET '': expected key.path=value; a value with a comma needs quotes "
                         "or brackets here"},
        {"backend=cpu,,cpu_threads=1", "FOVEA_SET '': expected key.path=value; a value with a "
                                       "comma needs quotes or brackets here"},
        {"operators=foveate,lens,cpu_threads=1",
         "FOVEA_SET 'lens': expected key.path=value; a value with a comma needs quotes or brackets "
         "here"},
        {"gaze.screen_px=[1,2",
         "FOVEA_SET 'gaze.screen_px=[1,2': the text ends, but the [ of line 1, column 1 has no ]"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        setenv("FOVEA_SET", cases[i].list, 1);
        struct recorded recorded = {0};
        struct fovea_config_desc desc;
        fovea_config_desc_init(&desc);
        desc.log = recorded_log(&recorded);
        struct fovea_config *config = NULL;
        enum fovea_result result = fovea_config_create(&desc, &config);
        unsetenv("FOVEA_SET");
        assert_result(result, FOVEA_ERROR_CONFIG);
        OWNED(owned_free) char *message = json(cases[i].message);
        assert_string_equal(recorded.last[FOVEA_LOG_ERROR], message);
    }
}
