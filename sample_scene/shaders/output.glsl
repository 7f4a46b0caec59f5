// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Fovea authors

// The attachment does not encode sRGB by itself, and is not float: do it here.
layout(constant_id = 1) const bool ENCODE = false;

// Filmic curve fitted by K. Narkowicz, "ACES Filmic Tone Mapping Curve", 2016.
vec3 film(vec3 light)
{
    light *= 0.62;
    return clamp(light * (2.51 * light + 0.03) / (light * (2.43 * light + 0.59) + 0.14), 0.0, 1.0);
}

vec4 to_attachment(vec3 light)
{
    vec3 color = film(light);
    if (ENCODE) {
        color = mix(color * 12.92, 1.055 * pow(color, vec3(1.0 / 2.4)) - 0.055,
                    greaterThan(color, vec3(0.0031308)));
    }
    return vec4(color, 1.0);
}
