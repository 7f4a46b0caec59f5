// SPDX-License-Identifier: MIT
// SPDX-FileCopyrightText: The Fovea authors

// The signatures of Unity 2022.3 and Unity 6 that the package uses, written from Unity's documentation. They do nothing: they
// show that the package's scripts compile, and let a program without Unity run them: what Unity would be told is printed.

using System;
using System.Collections.Generic;
using System.Runtime.InteropServices;

namespace UnityEngine
{
    public class Object
    {
        public string name { get; set; }
        public static void Destroy(Object thing) { }
        public static implicit operator bool(Object thing) { return !ReferenceEquals(thing, null); }
        public static bool operator ==(Object a, Object b) { return ReferenceEquals(a, b); }
        public static bool operator !=(Object a, Object b) { return !ReferenceEquals(a, b); }
        public override bool Equals(object other) { return ReferenceEquals(this, other); }
        public override int GetHashCode() { return 0; }
    }

    public class ScriptableObject : Object { }
    public class Component : Object
    {
        public static Component[] Others = new Component[0]; // what a program has beside this one
        public T GetComponent<T>() where T : Component { return Array.Find(Others, c => c is T) as T; }
        public bool TryGetComponent<T>(out T component) where T : Component
        {
            component = GetComponent<T>();
            return !ReferenceEquals(component, null);
        }
    }
    public class Behaviour : Component { public bool isActiveAndEnabled { get { return true; } } }
    public class MonoBehaviour : Behaviour { }
    public class TextAsset : Object { public string Words = ""; public string text { get { return Words; } } }
    public class Texture : Object
    {
        public FilterMode filterMode { get; set; }
        static int count;
        readonly int number = ++count;
        public IntPtr GetNativeTexturePtr() { return new IntPtr(number); }
    }
    public enum FilterMode { Point, Bilinear, Trilinear }

    public struct RenderTextureDescriptor
    {
        public RenderTextureDescriptor(int width, int height) : this()
        {
            this.width = width;
            this.height = height;
            volumeDepth = 1;
        }
        public int width { get; set; }
        public int height { get; set; }
        public int volumeDepth { get; set; }
        public int msaaSamples { get; set; }
        public int depthBufferBits { get; set; }
        public bool useMipMap { get; set; }
        public bool autoGenerateMips { get; set; }
        public bool enableRandomWrite { get; set; }
        public bool useDynamicScale { get; set; }
        public Experimental.Rendering.GraphicsFormat graphicsFormat { get; set; }
    }

    public class RenderTexture : Texture
    {
        public RenderTexture(RenderTextureDescriptor descriptor) { this.descriptor = descriptor; }
        public RenderTextureDescriptor descriptor { get; set; }
        public int volumeDepth { get { return descriptor.volumeDepth; } }
        public bool Create()
        {
            Console.WriteLine("texture {0}x{1}x{2} {3}", descriptor.width, descriptor.height, volumeDepth, descriptor.graphicsFormat);
            return true;
        }
        public bool IsCreated() { return true; }
        public void Release() { }
    }

    public struct Vector2
    {
        public float x, y;
        public Vector2(float x, float y) { this.x = x; this.y = y; }
    }

    public struct Vector3
    {
        public float x, y, z;
        public static implicit operator Vector2(Vector3 v) { return new Vector2(v.x, v.y); }
        public static implicit operator Vector3(Vector2 v) { return new Vector3 { x = v.x, y = v.y }; }
    }

    public struct Vector4
    {
        public float x, y, z, w;
        public Vector4(float x, float y, float z, float w) { this.x = x; this.y = y; this.z = z; this.w = w; }
    }

    public struct Matrix4x4 { public float m00, m02, m11, m12, m22, m23, m33; }

    public static class GL
    {
        /// <summary>Vulkan's, whose z is reversed.</summary>
        public static Matrix4x4 GetGPUProjectionMatrix(Matrix4x4 proj, bool renderIntoTexture)
        {
            float last = proj.m33 == 0f ? -1f : 0f; // m32
            proj.m22 = (last - proj.m22) / 2f;
            proj.m23 = (proj.m33 - proj.m23) / 2f;
            return proj;
        }
    }

    [Flags]
    public enum DepthTextureMode { None = 0, Depth = 1 }

    public class Camera : Behaviour
    {
        public enum MonoOrStereoscopicEye { Left, Right, Mono }
        public enum StereoscopicEye { Left, Right }
        public bool stereoEnabled { get; set; }
        public Matrix4x4 RightProjection; // a headset's
        public Matrix4x4 GetStereoProjectionMatrix(StereoscopicEye eye)
        {
            return eye == StereoscopicEye.Right ? RightProjection : projectionMatrix;
        }
        public bool allowHDR { get; set; }
        public bool forceIntoRenderTexture { get; set; }
        DepthTextureMode mode;
        public DepthTextureMode depthTextureMode { get { return mode; } set { mode = value; Console.WriteLine("depths " + value); } }
        public int pixelWidth { get { return 320; } }
        public int pixelHeight { get { return 200; } }
        public Matrix4x4 projectionMatrix { get; set; }
        public MonoOrStereoscopicEye stereoActiveEye = MonoOrStereoscopicEye.Mono; // without XR
        public void AddCommandBuffer(Rendering.CameraEvent when, Rendering.CommandBuffer commands) { }
        public void RemoveCommandBuffer(Rendering.CameraEvent when, Rendering.CommandBuffer commands) { }
        public Vector3 ScreenToViewportPoint(Vector3 position) { return position; }
    }

    public static class Time // a program counts its frames itself
    {
        public static int frameCount { get; set; }
        public static double unscaledTimeAsDouble { get; set; }
    }
    public static class Input { public static Vector3 mousePosition { get { return new Vector3(); } } }
    public static class Application { public static bool isPlaying { get { return false; } } }
    public static class Graphics { public static void ExecuteCommandBuffer(Rendering.CommandBuffer commands) { } }
    public static class SystemInfo
    {
        public static bool graphicsUVStartsAtTop { get { return true; } }
        public static Experimental.Rendering.GraphicsFormat GetGraphicsFormat(Experimental.Rendering.DefaultFormat format)
        {
            return Experimental.Rendering.GraphicsFormat.None;
        }
    }

    public static class Debug
    {
        public static void Log(object message) { Console.WriteLine("log " + message); }
        public static void LogWarning(object message) { Console.WriteLine("warning " + message); }
        public static void LogError(object message) { Console.WriteLine("error " + message); }
        public static void LogError(object message, Object context) { LogError(message); }
    }

    [AttributeUsage(AttributeTargets.Class)]
    public sealed class RequireComponent : Attribute { public RequireComponent(Type type) { } }
    [AttributeUsage(AttributeTargets.Class)]
    public sealed class DisallowMultipleComponent : Attribute { }
    [AttributeUsage(AttributeTargets.Class)]
    public sealed class AddComponentMenu : Attribute { public AddComponentMenu(string menu) { } }
    [AttributeUsage(AttributeTargets.Field)]
    public sealed class TooltipAttribute : Attribute { public TooltipAttribute(string text) { } }
    [AttributeUsage(AttributeTargets.Field)]
    public sealed class RangeAttribute : Attribute { public RangeAttribute(float min, float max) { } }
}

namespace UnityEngine.InputSystem
{
    public class Vector2Control { public Vector2 ReadValue() { return new Vector2(); } }
    public class Mouse
    {
        public static Mouse current { get { return null; } }
        public Vector2Control position { get { return null; } }
    }
}

namespace UnityEngine.Experimental.Rendering
{
    public enum DefaultFormat { LDR, HDR }
    public enum GraphicsFormat
    {
        None, R8G8B8A8_SRGB, R8G8B8A8_UNorm, B8G8R8A8_SRGB, B8G8R8A8_UNorm, B10G11R11_UFloatPack32, R16G16B16A16_SFloat,
        R32_SFloat,
    }
}

namespace UnityEngine.Rendering
{
    public enum CameraEvent { AfterImageEffects }
    public enum BuiltinRenderTextureType { CameraTarget, Depth }
    public struct ScriptableRenderContext { public void ExecuteCommandBuffer(CommandBuffer commands) { } }
    public class RenderPipelineAsset : ScriptableObject { }
    public static class GraphicsSettings { public static RenderPipelineAsset currentRenderPipeline { get; set; } }

    public struct RenderTargetIdentifier
    {
        public RenderTargetIdentifier(BuiltinRenderTextureType type) { }
        public RenderTargetIdentifier(Texture texture) { }
    }

    public class CommandBuffer
    {
        public string name { get; set; }
        public void Clear() { }
        public void Release() { }
        public void Blit(RenderTargetIdentifier source, RenderTargetIdentifier dest, Vector2 scale, Vector2 offset)
        {
            Console.WriteLine("blit {0} {1}", scale.y, offset.y);
        }
        public static readonly List<IntPtr> Given = new List<IntPtr>(); // the events' data, for a render thread that is late
        public void IssuePluginEventAndData(IntPtr callback, int eventID, IntPtr data)
        {
            Given.Add(data);
            var bytes = new byte[Marshal.ReadInt32(data)];
            Marshal.Copy(data, bytes, 0, bytes.Length);
            Console.WriteLine("event {0} {1}", eventID, BitConverter.ToString(bytes).Replace("-", ""));
        }
    }
}
