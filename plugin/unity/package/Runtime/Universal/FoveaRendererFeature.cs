// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Fovea authors

using UnityEngine;
using UnityEngine.Rendering;
using UnityEngine.Rendering.Universal;
#if FOVEA_URP_17
using UnityEngine.Rendering.RenderGraphModule;
#endif

namespace Fovea
{
    /// <summary>
    /// Foveates cameras that have a FoveaCamera, in the Universal Render Pipeline: by Execute in Unity 2022.3, in the render
    /// graph in Unity 6. Add it to the renderer.
    /// </summary>
    [DisallowMultipleRendererFeature("Fovea")]
    public sealed class FoveaRendererFeature : ScriptableRendererFeature
    {
        [Tooltip("After post-processing the picture is as on the screen; before it, colours are linear and may be HDR.")]
        public RenderPassEvent when = RenderPassEvent.AfterRenderingPostProcessing;

        readonly RenderTextureHandles handles = new RenderTextureHandles();
        FoveaPass pass;

        public override void Create()
        {
            pass = new FoveaPass(this);
        }

        public override void AddRenderPasses(ScriptableRenderer renderer, ref RenderingData renderingData)
        {
            FoveaCamera camera;
            if (renderingData.cameraData.camera.TryGetComponent(out camera) && camera.isActiveAndEnabled)
            {
                pass.renderPassEvent = when;
                pass.ConfigureInput(FoveaPlugin.NeedsDepth ? ScriptableRenderPassInput.Depth : ScriptableRenderPassInput.None);
#if FOVEA_URP_17
                pass.requiresIntermediateTexture = true;
#endif
                renderer.EnqueuePass(pass);
            }
        }

        protected override void Dispose(bool disposing)
        {
            handles.Release();
        }

        static bool saidBackBuffer;

        /// <summary>Once: nothing can read what the renderer draws to the screen itself.</summary>
        static void SayBackBuffer()
        {
            if (!saidBackBuffer)
            {
                saidBackBuffer = true;
                Debug.LogWarning("Fovea: the renderer draws to the screen itself, where nothing can be foveated: set Intermediate " +
                                 "Texture to Always in the renderer, and When to an event before After Rendering");
            }
        }

        sealed class FoveaPass : ScriptableRenderPass
        {
            readonly FoveaRendererFeature feature;

            public FoveaPass(FoveaRendererFeature feature)
            {
                this.feature = feature;
            }

            /// <summary>depth, depthTexture: null where nobody needs them.</summary>
            static void Run(CommandBuffer commands, FoveaCamera camera, Camera.MonoOrStereoscopicEye eye, RTHandle color, RTHandle texture,
                            RTHandle depth, RTHandle depthTexture, Matrix4x4 projection, Matrix4x4 rightProjection)
            {
                Blitter.BlitCameraTexture(commands, color, texture, FoveaCamera.FlipScaleBias);
                if (depthTexture != null)
                {
                    Blitter.BlitCameraTexture(commands, depth, depthTexture, FoveaCamera.FlipScaleBias);
                }
                camera.Issue(commands, eye, projection, rightProjection);
                Blitter.BlitCameraTexture(commands, texture, color, FoveaCamera.FlipScaleBias);
            }

#if FOVEA_URP_17
            sealed class PassData
            {
                public FoveaCamera Camera;
                public Camera.MonoOrStereoscopicEye Eye;
                public TextureHandle Color;
                public TextureHandle Texture;
                public bool HasDepth;
                public TextureHandle Depth;
                public TextureHandle DepthTexture;
                public Matrix4x4 Projection;
                public Matrix4x4 RightProjection;
            }

            public override void RecordRenderGraph(RenderGraph renderGraph, ContextContainer frameData)
            {
                var resources = frameData.Get<UniversalResourceData>();
                var cameraData = frameData.Get<UniversalCameraData>();
                FoveaCamera camera;
                if (!cameraData.camera.TryGetComponent(out camera))
                {
                    return;
                }
                if (resources.isActiveTargetBackBuffer)
                {
                    SayBackBuffer();
                    return;
                }
                bool multiPass = cameraData.xr.enabled && !cameraData.xr.singlePassEnabled;
                Camera.MonoOrStereoscopicEye eye = !multiPass ? Camera.MonoOrStereoscopicEye.Mono
                    : cameraData.xr.multipassId == 1 ? Camera.MonoOrStereoscopicEye.Right : Camera.MonoOrStereoscopicEye.Left;
                RenderTexture texture = camera.Target(cameraData.cameraTargetDescriptor, eye);
                if (texture == null)
                {
                    return;
                }
                // Without a depth texture nothing is asked for, and frames say that they have none.
                RenderTexture depthTexture = resources.cameraDepthTexture.IsValid() ? camera.DepthTarget(eye) : null;
                PassData data;
                using (var builder = renderGraph.AddUnsafePass<PassData>("Fovea", out data))
                {
                    data.Camera = camera;
                    data.Eye = eye;
                    data.Color = resources.activeColorTexture;
                    data.Texture = renderGraph.ImportTexture(feature.handles.Wrap(texture));
                    data.HasDepth = depthTexture != null;
                    if (data.HasDepth)
                    {
                        data.Depth = resources.cameraDepthTexture;
                        data.DepthTexture = renderGraph.ImportTexture(feature.handles.Wrap(depthTexture));
                        builder.UseTexture(data.Depth, AccessFlags.Read);
                        builder.UseTexture(data.DepthTexture, AccessFlags.ReadWrite);
                    }
                    data.Projection = cameraData.GetProjectionMatrix(0);
                    data.RightProjection = texture.volumeDepth >= 2 ? cameraData.GetProjectionMatrix(1) : data.Projection;
                    builder.UseTexture(data.Color, AccessFlags.ReadWrite);
                    builder.UseTexture(data.Texture, AccessFlags.ReadWrite);
                    builder.AllowPassCulling(false);
                    builder.SetRenderFunc((PassData d, UnsafeGraphContext context) =>
                        Run(CommandBufferHelpers.GetNativeCommandBuffer(context.cmd), d.Camera, d.Eye, d.Color, d.Texture,
                            d.HasDepth ? d.Depth : (RTHandle)null, d.HasDepth ? d.DepthTexture : (RTHandle)null, d.Projection,
                            d.RightProjection));
                }
            }
#else
            public override void Execute(ScriptableRenderContext context, ref RenderingData renderingData)
            {
                Camera unityCamera = renderingData.cameraData.camera;
                FoveaCamera camera;
                if (!unityCamera.TryGetComponent(out camera))
                {
                    return;
                }
                RTHandle color = renderingData.cameraData.renderer.cameraColorTargetHandle;
                if (color.rt == null)
                {
                    SayBackBuffer();
                    return;
                }
                RenderTextureDescriptor like = renderingData.cameraData.cameraTargetDescriptor;
                bool bothEyes = like.volumeDepth >= 2;
                Camera.MonoOrStereoscopicEye eye = bothEyes ? Camera.MonoOrStereoscopicEye.Mono : unityCamera.stereoActiveEye;
                RenderTexture texture = camera.Target(like, eye);
                if (texture == null)
                {
                    return;
                }
                Matrix4x4 left = renderingData.cameraData.GetProjectionMatrix(0);
                Matrix4x4 right = bothEyes ? renderingData.cameraData.GetProjectionMatrix(1) : left;
                // A multisampled one cannot be read: frames say then that they have none.
                RTHandle depth = renderingData.cameraData.renderer.cameraDepthTargetHandle;
                bool readable = depth != null && depth.rt != null && depth.rt.descriptor.msaaSamples <= 1;
                RenderTexture depthTexture = readable ? camera.DepthTarget(eye) : null;
                CommandBuffer commands = CommandBufferPool.Get("Fovea");
                Run(commands, camera, eye, color, feature.handles.Wrap(texture), depth,
                    depthTexture != null ? feature.handles.Wrap(depthTexture) : null, left, right);
                context.ExecuteCommandBuffer(commands);
                CommandBufferPool.Release(commands);
            }
#endif
        }
    }
}
