// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Fovea authors

using System;
using System.Collections.Generic;
using System.Reflection;
using System.Runtime.InteropServices;
using UnityEngine;
using UnityEngine.Experimental.Rendering;
using UnityEngine.Rendering;
#if FOVEA_URP
using UnityEngine.Rendering.Universal;
#endif
#if FOVEA_HDRP
using UnityEngine.Rendering.HighDefinition;
#endif

namespace Fovea
{
    /// <summary>Frames of a FoveaCamera, as a render pipeline has them; what Unity is told is printed.</summary>
    static class Frames
    {
        static void Call(object target, string method)
        {
            target.GetType().GetMethod(method, BindingFlags.Instance | BindingFlags.NonPublic).Invoke(target, null);
        }

        static Matrix4x4 Frustum()
        {
            // 1 to the left, 3 to the right, 0.5 up, 1.5 down, from 0.5 m to 2 m.
            return new Matrix4x4 { m00 = 0.5f, m02 = 0.5f, m11 = 1f, m12 = -0.5f, m22 = -5f / 3f, m23 = -4f / 3f };
        }

        /// <summary>As Frustum, with left and right exchanged.</summary>
        static Matrix4x4 RightFrustum()
        {
            return new Matrix4x4 { m00 = 0.5f, m02 = -0.5f, m11 = 1f, m12 = -0.5f, m22 = -5f / 3f, m23 = -4f / 3f };
        }

        /// <summary>The render thread is three frames late: what the events' data are by then.</summary>
        static void Late()
        {
            var camera = new Camera { projectionMatrix = Frustum() };
            var cameras = new[] { new FoveaCamera(), new FoveaCamera() };
            foreach (FoveaCamera one in cameras)
            {
                Component.Others = new Component[] { camera, one };
                Call(one, "OnEnable");
                for (int i = 0; i < 20; i++) // Camera.Render, in a frame
                {
                    Call(one, "OnPreRender");
                }
                Call(one, "OnDisable");
            }
            Time.frameCount += 3;
            foreach (IntPtr data in CommandBuffer.Given)
            {
                Console.WriteLine("late " + Marshal.ReadInt64(data, 8));
            }
            Call(cameras[1], "OnEnable");
            for (int i = 0; i < 300; i++)
            {
                Time.frameCount = i < 150 ? Time.frameCount + 1 : i - 150; // another play mode begins
                Call(cameras[1], "OnPreRender");
            }
            Console.WriteLine("places " + new HashSet<IntPtr>(CommandBuffer.Given).Count);
        }

        /// <summary>The field may change at any time; the plugin in its place prints what it is given.</summary>
        static void Configurations()
        {
            var foveated = new FoveaCamera();
            Component.Others = new Component[] { new Camera(), foveated };
            foveated.configuration = new TextAsset { Words = "first" };
            Call(foveated, "OnEnable");
            foreach (string words in new[] { "second", null, "third" })
            {
                foveated.configuration = words == null ? null : new TextAsset { Words = words };
                Call(foveated, "Update");
                Call(foveated, "Update");
            }
        }

        static void MultiPass()
        {
            var camera = new Camera { projectionMatrix = Frustum() };
            var foveated = new FoveaCamera { strength = 2.5f };
            Component.Others = new Component[] { camera, foveated };
            Call(foveated, "OnEnable");
            foreach (var eye in new[] { Camera.MonoOrStereoscopicEye.Left, Camera.MonoOrStereoscopicEye.Right })
            {
                camera.stereoActiveEye = eye;
                Call(foveated, "OnPreRender");
            }
        }

        static void Main(string[] arguments)
        {
            if (arguments[0] == "late")
            {
                Late();
                return;
            }
            if (arguments[0] == "configuration")
            {
                Configurations();
                return;
            }
            if (arguments[0] == "multi-pass")
            {
                MultiPass();
                return;
            }
            var camera = new Camera { projectionMatrix = Frustum(), RightProjection = RightFrustum() };
            var foveated = new FoveaCamera();
            Component.Others = new Component[] { camera, foveated };
            if (arguments[0] == "orthographic")
            {
                arguments[0] = "built-in";
                camera.projectionMatrix = new Matrix4x4 { m00 = 1f, m11 = 1f, m22 = -4f / 3f, m23 = -5f / 3f, m33 = 1f };
            }
            camera.stereoEnabled = arguments[0] == "high-definition-xr";
            GraphicsSettings.currentRenderPipeline = arguments[0] == "built-in" ? null : new RenderPipelineAsset();
            Call(foveated, "OnEnable");
            foveated.SetGaze(new Vector2(0.25f, 0.125f), new Vector2(0.75f, 0.5f));
            for (int i = 0; i < 2; i++)
            {
                Time.unscaledTimeAsDouble += 0.25;
                Call(foveated, "Update");
                Frame(arguments[0], camera, foveated);
            }
            foveated.LoseGaze();
            foveated.gazeFrom = FoveaCamera.GazeFrom.Source;
            Frame(arguments[0], camera, foveated);
            Call(foveated, "OnDisable");
        }

        static void Frame(string pipeline, Camera camera, FoveaCamera foveated)
        {
            if (pipeline == "built-in")
            {
                Call(foveated, "OnPreRender");
                return;
            }
#if FOVEA_HDRP
            bool both = pipeline == "high-definition-xr";
            var buffer = new RenderTextureDescriptor(128, 64)
            {
                volumeDepth = both ? 2 : 1,
                graphicsFormat = GraphicsFormat.B10G11R11_UFloatPack32,
            };
            var color = new RTHandle { rt = new RenderTexture(buffer), useScaling = true };
            color.Properties.currentViewportSize = new Vector2Int { x = 64, y = 48 };
            color.Properties.rtHandleScale = new Vector4(0.5f, 0.75f, 0.5f, 0.75f);
            var custom = new FoveaCustomPass();
            custom.Run(new CustomPassContext(new CommandBuffer(), new HDCamera { camera = camera }, color));
            custom.End();
#endif
#if FOVEA_URP
            var eyes = new RenderTextureDescriptor(64, 48)
            {
                volumeDepth = 2,
                graphicsFormat = GraphicsFormat.B10G11R11_UFloatPack32,
            };
            var renderer = new ScriptableRenderer();
            var feature = new FoveaRendererFeature();
            var data = new RenderingData();
            data.cameraData.camera = camera;
            data.cameraData.renderer = renderer;
            data.cameraData.cameraTargetDescriptor = eyes;
            feature.Create();
            feature.AddRenderPasses(renderer, ref data);
#if FOVEA_URP_17
            var items = new ContextContainer();
            items.Items = new ContextItem[] { new UniversalCameraData { camera = camera, cameraTargetDescriptor = eyes } };
            renderer.Enqueued.RecordRenderGraph(new UnityEngine.Rendering.RenderGraphModule.RenderGraph(), items);
#else
            renderer.Enqueued.Execute(new ScriptableRenderContext(), ref data);
#endif
#endif
        }
    }
}
