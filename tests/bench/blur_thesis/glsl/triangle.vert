// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Fovea authors

// One triangle over all of a picture, whose fragments are its pixels.

#version 450

void main()
{
    gl_Position = vec4(gl_VertexIndex == 1 ? 3.0 : -1.0, gl_VertexIndex == 2 ? 3.0 : -1.0, 0.0, 1.0);
}
