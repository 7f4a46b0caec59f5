// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Fovea authors

// The Universal Render Pipeline, 14 (Unity 2022.3), and with FOVEA_URP_17 that of Unity 6.

using System;

namespace UnityEngine.Rendering
{
    public class RTHandle
    {
        public RenderTexture rt { get; set; } // null: the screen
        public void Release() { }
    }
    public static class RTHandles { public static RTHandle Alloc(RenderTexture texture) { return new RTHandle { rt = texture }; } }
    public static class Blitter
    {
        public static void BlitCameraTexture(CommandBuffer cmd, RTHandle source, RTHandle destination, Vector4 scaleBias,
                                             float mipLevel = 0f, bool bilinear = false)
        {
            Console.WriteLine("blit {0} {1}", scaleBias.y, scaleBias.w);
        }
    }
    public static class CommandBufferPool
    {
        public static CommandBuffer Get(string name) { return new CommandBuffer(); }
        public static void Release(CommandBuffer commands) { }
    }

#if FOVEA_URP_17
    public class ContextItem { }
    public class ContextContainer
    {
        public ContextItem[] Items = new ContextItem[0];
        public T Get<T>() where T : ContextItem, new() { return Array.Find(Items, item => item is T) as T ?? new T(); }
    }
    public class XRPass
    {
        public bool enabled { get { return false; } }
        public bool singlePassEnabled { get { return false; } }
        public int multipassId { get { return 0; } }
    }
#endif
}

#if FOVEA_URP_17
namespace UnityEngine.Rendering.RenderGraphModule
{
    [Flags]
    public enum AccessFlags { None = 0, Read = 1, Write = 2, ReadWrite = 3 }
    public struct TextureHandle
    {
        public bool IsValid() { return true; }
        public static implicit operator RTHandle(TextureHandle handle) { return new RTHandle(); }
    }
    public class UnsafeCommandBuffer { }
    public class UnsafeGraphContext { public UnsafeCommandBuffer cmd; }
    public delegate void BaseRenderFunc<PassData, ContextType>(PassData data, ContextType context) where PassData : class, new();

    public interface IUnsafeRenderGraphBuilder : IDisposable
    {
        void UseTexture(TextureHandle input, AccessFlags flags);
        void AllowPassCulling(bool value);
        void SetRenderFunc<PassData>(BaseRenderFunc<PassData, UnsafeGraphContext> function) where PassData : class, new();
    }

    /// <summary>Runs the pass when it is described.</summary>
    sealed class Builder<Given> : IUnsafeRenderGraphBuilder where Given : class
    {
        public Given Data;
        public void Dispose() { }
        public void UseTexture(TextureHandle input, AccessFlags flags) { }
        public void AllowPassCulling(bool value) { }
        public void SetRenderFunc<PassData>(BaseRenderFunc<PassData, UnsafeGraphContext> function) where PassData : class, new()
        {
            function(Data as PassData, new UnsafeGraphContext());
        }
    }

    public class RenderGraph
    {
        public IUnsafeRenderGraphBuilder AddUnsafePass<PassData>(string name, out PassData data) where PassData : class, new()
        {
            data = new PassData();
            return new Builder<PassData> { Data = data };
        }
        public TextureHandle ImportTexture(RTHandle handle) { return new TextureHandle(); }
    }
}
#endif

namespace UnityEngine.Rendering
{
#if FOVEA_URP_17
    public static class CommandBufferHelpers
    {
        public static CommandBuffer GetNativeCommandBuffer(RenderGraphModule.UnsafeCommandBuffer commands)
        {
            return new CommandBuffer();
        }
    }
#endif
}

namespace UnityEngine.Rendering.Universal
{
    public enum RenderPassEvent { BeforeRenderingPostProcessing = 550, AfterRenderingPostProcessing = 600 }

    [Flags]
    public enum ScriptableRenderPassInput { None = 0, Depth = 1 }

    [AttributeUsage(AttributeTargets.Class)]
    public sealed class DisallowMultipleRendererFeature : Attribute { public DisallowMultipleRendererFeature(string name) { } }

    public class ScriptableRenderer
    {
        public ScriptableRenderPass Enqueued;
        readonly RTHandle color = new RTHandle { rt = new RenderTexture(new RenderTextureDescriptor()) };
        public RTHandle cameraColorTargetHandle { get { return color; } }
        public RTHandle cameraDepthTargetHandle { get { return color; } }
        public void EnqueuePass(ScriptableRenderPass pass) { Enqueued = pass; }
    }

    public struct CameraData
    {
        public Camera camera;
        public ScriptableRenderer renderer;
        public RenderTextureDescriptor cameraTargetDescriptor;
        public Matrix4x4 GetProjectionMatrix(int viewIndex = 0) { return camera.projectionMatrix; }
    }

    public struct RenderingData { public CameraData cameraData; }

    public abstract class ScriptableRendererFeature : ScriptableObject
    {
        public abstract void Create();
        public abstract void AddRenderPasses(ScriptableRenderer renderer, ref RenderingData renderingData);
        protected virtual void Dispose(bool disposing) { }
    }

#if FOVEA_URP_17
    public class UniversalResourceData : ContextItem
    {
        public bool isActiveTargetBackBuffer { get { return false; } }
        public RenderGraphModule.TextureHandle activeColorTexture { get { return new RenderGraphModule.TextureHandle(); } }
        public RenderGraphModule.TextureHandle cameraDepthTexture { get { return new RenderGraphModule.TextureHandle(); } }
    }

    public class UniversalCameraData : ContextItem
    {
        public Camera camera;
        public RenderTextureDescriptor cameraTargetDescriptor;
        public XRPass xr { get { return new XRPass(); } }
        public Matrix4x4 GetProjectionMatrix(int viewIndex = 0) { return camera.projectionMatrix; }
    }

    public abstract class ScriptableRenderPass
    {
        public RenderPassEvent renderPassEvent { get; set; }
        public void ConfigureInput(ScriptableRenderPassInput passInput)
        {
            if (passInput != ScriptableRenderPassInput.None)
            {
                Console.WriteLine("input " + passInput);
            }
        }
        public bool requiresIntermediateTexture { get; set; }
        public virtual void RecordRenderGraph(RenderGraphModule.RenderGraph renderGraph, ContextContainer frameData) { }
    }
#else
    public abstract class ScriptableRenderPass
    {
        public RenderPassEvent renderPassEvent { get; set; }
        public void ConfigureInput(ScriptableRenderPassInput passInput)
        {
            if (passInput != ScriptableRenderPassInput.None)
            {
                Console.WriteLine("input " + passInput);
            }
        }
        public abstract void Execute(ScriptableRenderContext context, ref RenderingData renderingData);
    }
#endif
}
