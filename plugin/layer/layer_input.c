#include "layer_input.h"
enum fovea_result layer_input_create(const struct layer_input_desc *d, struct layer_input **o)
{
    (void)d;
    *o = NULL;
    return FOVEA_ERROR_UNSUPPORTED;
}
void layer_input_destroy(struct layer_input **i)
{
    (void)i;
}
void layer_input_watch(struct layer_input *i, uint32_t w)
{
    (void)i;
    (void)w;
}
void layer_input_feed(struct layer_input *i, struct fovea_gaze_source *s)
{
    (void)i;
    (void)s;
}
void layer_input_read(struct layer_input *i, struct layer_input_state *s)
{
    (void)i;
    *s = (struct layer_input_state){0};
}
const char *layer_input_help(void)
{
    return "";
}
