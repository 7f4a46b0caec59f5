// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Fovea authors

using System;
using UnityEngine;
using UnityEngine.Rendering;
using UnityEngine.Rendering.HighDefinition;

namespace Fovea
{
    /// <summary>
    /// Foveates cameras that have a FoveaCamera, in the High Definition Render Pipeline. Add it to a Custom Pass Volume whose
    /// injection point is After Post Process, or Before Post Process for linear colours.
    /// </summary>
    [Serializable]
    public sealed class FoveaCustomPass : CustomPass
    {
        readonly RenderTextureHandles handles = new RenderTextureHandles();

        protected override bool executeInSceneView
        {
            get { return false; }
        }

        protected override void Execute(CustomPassContext ctx)
        {
            Camera unityCamera = ctx.hdCamera.camera;
            RTHandle color = ctx.cameraColorBuffer;
            FoveaCamera camera;
            if (!unityCamera.TryGetComponent(out camera) || color.rt == null)
            {
                return;
            }
            RenderTextureDescriptor like = Describe(color);
            bool bothEyes = like.volumeDepth >= 2;
            Camera.MonoOrStereoscopicEye eye = bothEyes ? Camera.MonoOrStereoscopicEye.Mono : unityCamera.stereoActiveEye;
            RenderTexture texture = camera.Target(like, eye);
            if (texture == null)
            {
                return;
            }
            RTHandle handle = handles.Wrap(texture);
            HDUtils.BlitCameraTexture(ctx.cmd, color, handle, FlipOf(color));
            RTHandle depth = ctx.cameraDepthBuffer;
            RenderTexture depthTexture = depth != null && depth.rt != null ? camera.DepthTarget(eye) : null;
            if (depthTexture != null)
            {
                HDUtils.BlitCameraTexture(ctx.cmd, depth, handles.Wrap(depthTexture), FlipOf(depth));
            }
            camera.Issue(ctx.cmd, eye, Projection(unityCamera, eye, Camera.StereoscopicEye.Left),
                         Projection(unityCamera, eye, Camera.StereoscopicEye.Right));
            HDUtils.BlitCameraTexture(ctx.cmd, handle, color, FoveaCamera.FlipScaleBias);
        }

        protected override void Cleanup()
        {
            handles.Release();
        }

        /// <summary>The pipeline's buffers are as large as the largest camera; this one may have a part of it.</summary>
        static RenderTextureDescriptor Describe(RTHandle color)
        {
            RenderTextureDescriptor like = color.rt.descriptor;
            if (color.useScaling)
            {
                like.width = color.rtHandleProperties.currentViewportSize.x;
                like.height = color.rtHandleProperties.currentViewportSize.y;
            }
            return like;
        }

        static Vector4 FlipOf(RTHandle color)
        {
            Vector4 flip = FoveaCamera.FlipScaleBias;
            if (color.useScaling)
            {
                Vector4 part = color.rtHandleProperties.rtHandleScale;
                flip = new Vector4(flip.x * part.x, flip.y * part.y, flip.z * part.x, flip.w * part.y);
            }
            return flip;
        }

        /// <summary>That of the eye whose pass it is; without XR the camera's.</summary>
        static Matrix4x4 Projection(Camera camera, Camera.MonoOrStereoscopicEye pass, Camera.StereoscopicEye eye)
        {
            if (!camera.stereoEnabled)
            {
                return camera.projectionMatrix;
            }
            return camera.GetStereoProjectionMatrix(pass == Camera.MonoOrStereoscopicEye.Right ? Camera.StereoscopicEye.Right
                                                    : pass == Camera.MonoOrStereoscopicEye.Left ? Camera.StereoscopicEye.Left : eye);
        }
    }
}
