// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Fovea authors

// The High Definition Render Pipeline, 14 (Unity 2022.3) and later.

using System;

namespace UnityEngine
{
    public struct Vector2Int
    {
        public int x { get; set; }
        public int y { get; set; }
    }
}

namespace UnityEngine.Rendering
{
    public struct RTHandleProperties
    {
        public Vector2Int currentViewportSize;
        public Vector4 rtHandleScale;
    }
    public class RTHandle
    {
        public RTHandleProperties Properties; // a program's own
        public RenderTexture rt { get; set; }
        public bool useScaling { get; set; }
        public RTHandleProperties rtHandleProperties { get { return Properties; } }
        public void Release() { }
    }
    public static class RTHandles { public static RTHandle Alloc(RenderTexture texture) { return new RTHandle { rt = texture }; } }
}

namespace UnityEngine.Rendering.HighDefinition
{
    public class HDCamera { public Camera camera; }

    public struct CustomPassContext
    {
        public readonly CommandBuffer cmd;
        public readonly HDCamera hdCamera;
        public readonly RTHandle cameraColorBuffer;
        public readonly RTHandle cameraDepthBuffer;
        public CustomPassContext(CommandBuffer commands, HDCamera camera, RTHandle color)
        {
            cmd = commands;
            hdCamera = camera;
            cameraColorBuffer = color;
            cameraDepthBuffer = color;
        }
    }

    public abstract class CustomPass
    {
        protected virtual bool executeInSceneView { get { return true; } }
        protected virtual void Execute(CustomPassContext ctx) { }
        protected virtual void Cleanup() { }
        public void Run(CustomPassContext ctx) { Execute(ctx); } // the pipeline's side
        public void End() { Cleanup(); }
    }

    public static class HDUtils
    {
        public static void BlitCameraTexture(CommandBuffer cmd, RTHandle source, RTHandle destination, Vector4 scaleBias,
                                             float mipLevel = 0f, bool bilinear = false)
        {
            Console.WriteLine("blit {0} {1} {2} {3}", scaleBias.x, scaleBias.y, scaleBias.z, scaleBias.w);
        }
    }
}
