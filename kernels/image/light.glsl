/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* Light, which is averaged where stored values are not. Include it after image/pixel.glsl. A display's samples are
 * LIGHT_SAMPLES[LIGHT_SAMPLES_FROM] and those after it, which the including file defines. */

float pixel_white()
{
    return PIXEL == PIXEL_A2B10G10R10 ? 1023.0 : 255.0;
}

vec3 srgb_to_light(vec3 encoded)
{
    vec3 low = encoded / 12.92;
    vec3 high = pow((encoded + 0.055) / 1.055, vec3(2.4));
    return mix(high, low, lessThanEqual(encoded, vec3(0.04045)));
}

vec3 light_to_srgb(vec3 light)
{
    vec3 low = light * 12.92;
    vec3 high = 1.055 * pow(light, vec3(1.0 / 2.4)) - 0.055;
    return mix(high, low, lessThanEqual(light, vec3(0.0031308)));
}

/* SMPTE ST 2084. */
const float PQ_M1 = 2610.0 / 16384.0;
const float PQ_M2 = 2523.0 / 32.0;
const float PQ_C1 = 3424.0 / 4096.0;
const float PQ_C2 = 2413.0 / 128.0;
const float PQ_C3 = 2392.0 / 128.0;

vec3 pq_to_light(vec3 encoded)
{
    vec3 root = pow(encoded, vec3(1.0 / PQ_M2));
    return pow(max(root - PQ_C1, 0.0) / (PQ_C2 - PQ_C3 * root), vec3(1.0 / PQ_M1));
}

vec3 light_to_pq(vec3 light)
{
    vec3 power = pow(light, vec3(PQ_M1));
    return pow((PQ_C1 + PQ_C2 * power) / (1.0 + PQ_C3 * power), vec3(PQ_M2));
}

/* ITU-R BT.2100, table 5: light of the scene, the inverse of the OETF. */
const float HLG_A = 0.17883277;
const float HLG_B = 0.28466892;
const float HLG_C = 0.55991073;

vec3 hlg_to_light(vec3 encoded)
{
    vec3 low = encoded * encoded / 3.0;
    vec3 high = (exp((encoded - HLG_C) / HLG_A) + HLG_B) / 12.0;
    return mix(high, low, lessThanEqual(encoded, vec3(0.5)));
}

vec3 light_to_hlg(vec3 light)
{
    vec3 low = sqrt(3.0 * light);
    vec3 high = HLG_A * log(max(12.0 * light - HLG_B, 0.5)) + HLG_C;
    return mix(high, low, lessThanEqual(light, vec3(1.0 / 12.0)));
}

/* Applies the OOTF of HLG or its inverse, by the exponent: colours keep their ratios. Luminance has BT.2020's
 * primaries. */
vec3 apply_ootf(vec3 light, float exponent)
{
    vec3 luma = vec3(0.2627, 0.6780, 0.0593);
    float luminance = dot(light, LIGHT_OF == LIGHT_HLG_BLUE_FIRST ? luma.bgr : luma);
    return luminance > 0.0 ? light * pow(luminance, exponent) : vec3(0.0);
}

/* Looks up a display's samples, of which there are `count`. */
float sampled_to_light(float encoded, float count)
{
    float place = encoded * (count - 1.0);
    int below = min(int(place), int(count) - 2);
    int at = LIGHT_SAMPLES_FROM + below;
    return mix(LIGHT_SAMPLES[at], LIGHT_SAMPLES[at + 1], place - float(below));
}

/* Returns the lowest value that gives the light. */
float light_to_sampled(float light, float count)
{
    int low = LIGHT_SAMPLES_FROM;
    int high = low + int(count) - 2;
    while (low < high) {
        int middle = (low + high) / 2;
        if (LIGHT_SAMPLES[middle + 1] >= light) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    float step_up = LIGHT_SAMPLES[low + 1] - LIGHT_SAMPLES[low];
    float above = light - LIGHT_SAMPLES[low];
    float part = above > 0.0 && step_up > 0.0 ? min(above / step_up, 1.0) : 0.0;
    return (float(low - LIGHT_SAMPLES_FROM) + part) / (count - 1.0);
}

vec3 decode_light(vec3 encoded, float value)
{
    if (LIGHT_OF == LIGHT_TABLE) {
        return vec3(sampled_to_light(encoded.r, value), sampled_to_light(encoded.g, value),
                    sampled_to_light(encoded.b, value));
    }
    if (LIGHT_IS_HLG) {
        return apply_ootf(hlg_to_light(encoded), value - 1.0);
    }
    return LIGHT_OF == LIGHT_PQ      ? pq_to_light(encoded)
           : LIGHT_OF == LIGHT_GAMMA ? pow(encoded, vec3(value))
                                     : srgb_to_light(encoded);
}

vec3 encode_light(vec3 light, float value)
{
    if (LIGHT_IS_HLG) {
        return light_to_hlg(min(apply_ootf(light, 1.0 / value - 1.0), 1.0));
    }
    light = min(light, 1.0);
    if (LIGHT_OF == LIGHT_TABLE) {
        return vec3(light_to_sampled(light.r, value), light_to_sampled(light.g, value),
                    light_to_sampled(light.b, value));
    }
    return LIGHT_OF == LIGHT_PQ      ? light_to_pq(light)
           : LIGHT_OF == LIGHT_GAMMA ? pow(light, vec3(1.0 / value))
                                     : light_to_srgb(light);
}

const float LIGHT_SCALE = LIGHT_WIDE ? 32768.0 : 1.0; /* IMAGE_LIGHT_SCALE */

/* Converts by the image's transfer function or the display's to light from 0 to LIGHT_SCALE; light_value is struct
 * pixel_transfer's. Alpha is light already, but for its scale. */
vec4 to_light(vec4 stored, float light_value)
{
    vec3 light = decode_light(stored.rgb / pixel_white(), light_value);
    float alpha = stored.a / (PIXEL == PIXEL_A2B10G10R10 ? 3.0 : 255.0);
    return vec4(light * LIGHT_SCALE, alpha);
}

vec4 from_light(vec4 value, float light_value)
{
    vec3 encoded = encode_light(max(value.rgb / LIGHT_SCALE, 0.0), light_value);
    float alpha = value.a * (PIXEL == PIXEL_A2B10G10R10 ? 3.0 : 255.0);
    return vec4(encoded * pixel_white(), alpha);
}
