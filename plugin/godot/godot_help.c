/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "godot_help.h"

#include <stdlib.h>
#include <string.h>

struct words {
    const char *name;
    const char *text;
};

static const char class_brief[] = "Blurs what the eye cannot resolve where it does not look.";
static const char class_text[] =
    "A [CompositorEffect] for the [Compositor] of a [WorldEnvironment] or a [Camera3D]. It needs "
    "the Forward+ renderer. The picture is sharp at [member gaze_uv] and loses detail away from it "
    "as the human eye does. It works after transparent objects are drawn and before temporal "
    "anti-aliasing, glow and tone mapping, in linear light and at the 3D resolution.";

/* It has the properties that are no settings, and those that are otherwise here. */
static const struct words members[] = {
    {"gaze_source", "Where the gaze comes from; script: gaze_uv; udp: datagrams of an eye tracker; "
                    "the others are for tests"},
    {"map_kind",
     "Where a map comes from; human, kangaroo, hawk, dog: cells of their retinas; streak: "
     "along the horizon; file: a PNG; array is for programs without an engine"},
    {"map_file", "PNG picture, 8 or 16 bits, white is where most is resolved; read as a file, also "
                 "where it is below res://, and so not from an exported game's pack"},
    {"gaze_scanpath_file", "A recording of gaze in one of the formats of docs/gaze.md; read as "
                           "map_file is"},
    {"record_file",
     "What the names of files begin with that get a line for each frame and its gaze; "
     "empty: none. user:// is where an exported game may write. Say so to who plays"},
    {"geometry_from_camera",
     "The view's angles come from the camera's projection, which models of a real view then take"},
    {"gaze_uv", "Where the eye looks, from (0, 0) at the viewport's top left to (1, 1); with the "
                "source script"},
    {"gaze_valid", "False while the source script has no gaze, as in a blink"},
    {"gaze_per_eye", "Views of the left and the right eye have gazes of their own"},
    {"gaze_uv_left", "As gaze_uv, of the left eye's view"},
    {"gaze_uv_right", "As gaze_uv, of the right eye's view"},
    {"debug_view", "What is drawn over the picture: the gaze, circles of 2, 5, 10 and 20 degrees, "
                   "how much is blurred, or the picture as it was drawn at the left"},
    {"debug_split", "Where the debug view split divides the picture, from 0 to 1"},
};
static const struct words signals[] = {
    {"gaze_lost", "There has been no valid gaze for longer than [member gaze_validity_hold_ms]."},
    {"gaze_found", "There is a gaze again."},
};

static const char *text_of(const struct godot_property *property, struct fovea_setting *setting)
{
    for (size_t i = 0; i < sizeof members / sizeof members[0]; i++) {
        if (strcmp(members[i].name, property->name) == 0) {
            return members[i].text;
        }
    }
    for (size_t i = 0; property->path && i < fovea_setting_count(); i++) {
        fovea_setting_init(setting);
        if (fovea_setting_info(i, setting) == FOVEA_OK &&
            strcmp(setting->path, property->path) == 0) {
            return setting->help;
        }
    }
    return "";
}

static const char *type_name(int32_t type)
{
    return type == GODOT_BOOL      ? "bool"
           : type == GODOT_INT     ? "int"
           : type == GODOT_FLOAT   ? "float"
           : type == GODOT_VECTOR2 ? "Vector2"
                                   : "String";
}

static void write_escaped(FILE *file, const char *text)
{
    for (; *text; text++) {
        switch (*text) {
        case '&':
            fputs("&amp;", file);
            break;
        case '<':
            fputs("&lt;", file);
            break;
        case '>':
            fputs("&gt;", file);
            break;
        default:
            fputc(*text, file);
        }
    }
}

static void write_member(FILE *file, const struct godot_property *property)
{
    struct fovea_setting setting;
    fprintf(file, "<member name=\"%s\" type=\"%s\" setter=\"set_%s\" getter=\"get_%s\">",
            property->name, type_name(property->type), property->name, property->name);
    write_escaped(file, text_of(property, &setting));
    fprintf(file, ".</member>\n");
}

bool godot_help_write(FILE *file, const struct godot_property *properties, size_t count)
{
    fprintf(file,
            "<?xml version=\"1.0\" encoding=\"UTF-8\" ?>\n<class name=\"FoveaEffect\" "
            "inherits=\"CompositorEffect\" version=\"4.4\">\n<brief_description>%s"
            "</brief_description>\n<description>%s</description>\n<members>\n",
            class_brief, class_text);
    for (size_t i = 0; i < count; i++) {
        write_member(file, &properties[i]);
    }
    fprintf(file, "</members>\n<signals>\n");
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) {
        fprintf(file, "<signal name=\"%s\"><description>%s</description></signal>\n",
                signals[i].name, signals[i].text);
    }
    fprintf(file, "</signals>\n</class>\n");
    return !ferror(file);
}

void godot_help_load(const struct godot_property *properties, size_t count)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *file = open_memstream(&text, &bytes);
    if (!file) {
        return;
    }
    const bool written = godot_help_write(file, properties, count);
    if (fclose(file) == 0 && written) {
        godot.load_help(text);
    }
    free(text);
}
